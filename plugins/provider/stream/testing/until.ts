/** Waits for something of another socket's or task's doing; the test's own limit ends it. */
export async function until(condition: () => boolean): Promise<void> {
	while (!condition()) await new Promise((done) => setImmediate(done));
}
