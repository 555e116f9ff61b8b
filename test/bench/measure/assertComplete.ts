import type { Contents } from "#test/bench/chain/workload.ts";
import type { IndexProbe } from "#test/bench/measure/indexProbe.ts";

export const BENCH_CHAIN_ID = 31_337;

/** A fast index with a row missing is not an index; nor is one with a row too many. */
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
