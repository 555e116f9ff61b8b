// Ranks a collection again and again, and prints the time of each turn and the memory of this
// process, as one JSON line. Argument: `bare` for the bare script in place of ours.
import { rankTokens } from "#plugins/market-index/rank/rankTokens.ts";
import { peakMemoryMb } from "#test/bench/measure/processCost.ts";
import { bareRanking } from "#test/bench/reference/bareRanking.ts";

const TOKENS = 10_000;
const TRAITS = 10;
/** The code is then compiled, as in a running service. */
const WARM_TURNS = 10;
const TURNS = 30;

const rank = process.argv[2] === "bare" ? bareRanking : rankTokens;

/** Rows as PostgreSQL sends them: few values of the first trait, about a hundred of the last. */
const rows = Array.from({ length: TOKENS }, (_, id) => {
	const traits = Array.from({ length: TRAITS }, (_, trait) => ({
		type: `Trait ${trait}`,
		value: `Value ${(Math.imul(id, 2_654_435_761) >>> (trait + 4)) % (5 + trait * 10)}`,
	}));
	return { id: String(id), traits: Buffer.from(JSON.stringify(traits)) };
});

/** Returns rows as a driver makes them: every row parsed by itself, every text a new one. */
function fresh() {
	return rows.map(({ id, traits }) => {
		const parsed = JSON.parse(traits.toString("utf8")) as { type: string; value: string }[];
		return { id, traits: parsed };
	});
}

const idleMb = process.memoryUsage.rss() / 1_048_576;
const timesMs: number[] = [];
for (let turn = -WARM_TURNS; turn < TURNS; turn++) {
	const tokens = fresh();
	const beganMs = performance.now();
	const ranked = rank(tokens);
	const tookMs = performance.now() - beganMs;
	if (ranked.length !== TOKENS) throw new Error("not every token was ranked");
	if (turn >= 0) timesMs.push(tookMs);
}
const peakMb = peakMemoryMb(process.pid);
process.stdout.write(`${JSON.stringify({ timesMs, idleMb, peakMb })}\n`);
