import type { Contents } from "#test/bench/chain/workload.ts";
import type { IndexProbe } from "#test/bench/measure/indexProbe.ts";

export const BENCH_CHAIN_ID = 31_337;

/**
 * Throws unless an index has exactly the expected rows: a fast index with a row missing, or one too
 * many, does not count.
 */
export async function assertComplete(
	probe: Pick<IndexProbe, "contents">,
	contents: Pick<Contents, "mints" | "sales">,
	options: { salesAlone?: number } = {},
): Promise<void> {
	const { mints } = contents;
	const sales = contents.sales + (options.salesAlone ?? 0);
	const found = await probe.contents(BENCH_CHAIN_ID);
	const expected = { mints, sales, countedMints: mints, countedSales: sales };
	if (!Bun.deepEquals(found, expected)) {
		throw new Error(`in the index ${JSON.stringify(found)}, not ${JSON.stringify(expected)}`);
	}
}
