/** Waits for an effect of another socket or task; the test's own limit ends it. */
export async function until(condition: () => boolean): Promise<void> {
	while (!condition()) await new Promise((done) => setImmediate(done));
}
