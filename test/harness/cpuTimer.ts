/**
 * Starts to measure the processor time of this process; returns a function that gives the
 * milliseconds since.
 *
 * For tests that no input makes a function slow: other programs on the machine lengthen the wall
 * time of such a test, but not its processor time.
 *
 * @example
 * const cpuMs = cpuTimer();
 * decode(hostile);
 * expect(cpuMs()).toBeLessThan(1_000);
 */
export function cpuTimer(): () => number {
	const began = process.cpuUsage();
	return () => {
		const { user, system } = process.cpuUsage(began);
		return (user + system) / 1_000;
	};
}
