/**
 * Runs a function over a long list in chunks of at most `batchMax`, at most `concurrencyMax` at
 * once. Returns answers in the order of the list; the first failure ends it, and no further chunk
 * begins.
 */
export async function runChunks<Item, Answer>(
	items: readonly Item[],
	limits: { batchMax: number; concurrencyMax: number },
	run: (chunk: readonly Item[]) => Promise<Answer[]>,
): Promise<Answer[]> {
	const chunks: Item[][] = [];
	for (let at = 0; at < items.length; at += limits.batchMax) {
		chunks.push(items.slice(at, at + limits.batchMax));
	}
	const answers: Answer[][] = Array.from({ length: chunks.length });
	let next = 0;
	const worker = async () => {
		for (let at = next++; at < chunks.length; at = next++) {
			answers[at] = await run(chunks[at] ?? []).catch((error) => {
				next = chunks.length;
				throw error;
			});
		}
	};
	const workers = Math.min(limits.concurrencyMax, chunks.length);
	await Promise.all(Array.from({ length: workers }, worker));
	return answers.flat();
}
