/**
 * Starts to count the processor time of this process; what it answers tells the milliseconds since.
 *
 * For tests that no text and no list makes a function slow: whoever else uses the machine makes
 * such a test take longer, and not work more.
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
