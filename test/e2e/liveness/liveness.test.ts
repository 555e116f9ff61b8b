import { afterAll, expect, test } from "bun:test";
import { oddNumbers } from "#test/e2e/liveness/FalseAnswer.ts";
import { falseAnswers } from "#test/e2e/liveness/falseAnswers.ts";
import { type LiveRound, planRounds } from "#test/e2e/liveness/LiveRound.ts";
import { type LiveWorld, openLiveWorld } from "#test/e2e/liveness/openLiveWorld.ts";
import { playRound } from "#test/e2e/liveness/playRound.ts";
import { TEST_LIMIT_MS } from "#test/harness/testLimits.ts";
import { TEST_SEED } from "#test/harness/testSeed.ts";
import { createPrng } from "#test/sandbox/createPrng.ts";

// Guarantee: whatever a node or the wallet provider says falsely, one thing or two at a time, each
// intent ends once the source is right again: paid as the chain says, provably not paid, or freed
// by the action that operators are offered. A false answer about one wallet holds up no other
// wallet.

const isProving = process.env["PROVE"] === "1";
const SEED = Number(process.env["LIVENESS_SEED"] ?? TEST_SEED);
const WALLETS = 20;
/** Rounds in `test`; `prove` plays all of them. */
const ALONE_PLAYED = 2;
const PAIRS_PLAYED = 1;
/**
 * There are tens of thousands of pairs with an odd number; `prove` plays so many rounds of them.
 */
const ODD_PAIRS_PLAYED = 100;
/** Rounds in `test` with an honest node beside the lying one. */
const BESIDE_HONEST_PLAYED = 1;
/** Rounds take longer as the wallets of a world have more history. */
const ROUNDS_OF_WORLD = 8;
const LIMIT_MS = 3 * TEST_LIMIT_MS;

/** For writing a row: plays all rows with this in their name, and no sample. */
const ONLY = process.env["LIVENESS_ONLY"] ?? "";
/** Continues the table of a seed where an earlier run ended: at the round of this number. */
const FIRST = Number(process.env["LIVENESS_FIRST"] ?? 0);
/** Plays only each n-th round of the table: a shorter run over all of it. */
const STRIDE = Number(process.env["LIVENESS_STRIDE"] ?? 1);
const isWhole = isProving || ONLY !== "";

const random = createPrng(SEED);
const rows = falseAnswers.filter(({ name }) => name.includes(ONLY));
const named = rows.filter((answer) => !oddNumbers.includes(answer));
const every = planRounds(rows, { wallets: WALLETS, random });
const ofNamed = planRounds(named, { wallets: WALLETS, random });

type Terms = { hasHonestNode: boolean };

let open: { world: LiveWorld; terms: Terms; rounds: number } | null = null;
afterAll(() => open?.world.stop());

/**
 * Plays rounds one after the other, some with the same wallets: each must leave them as good as
 * new. Returns the problems.
 */
async function playAll(rounds: readonly LiveRound[], terms: Terms): Promise<string[]> {
	for (const [place, round] of rounds.entries()) {
		if (place < FIRST || (place - FIRST) % STRIDE !== 0) continue;
		const named = `round ${place} of ${rounds.length}, ${wordsOf(round)}`;
		if (isProving) process.stdout.write(`${named}\n`);
		const played = worldOf(terms).then((world) => playRound(world, round));
		const problems = await played.catch((error: unknown) => [String(error)]);
		// What one round left behind would be blamed on the next.
		if (problems.length > 0) return [`after ${named}`, ...problems];
	}
	return [];
}

/**
 * Names a round by what was false for all wallets; single wallets are named by what is false about
 * them.
 */
function wordsOf({ shared }: LiveRound): string {
	const names = shared.map(({ name }) => name).join(", and ");
	return names === "" ? "answers about single wallets" : names;
}

async function worldOf(terms: Terms): Promise<LiveWorld> {
	const isSame = open?.terms.hasHonestNode === terms.hasHonestNode;
	if (open && (!isSame || open.rounds === ROUNDS_OF_WORLD)) {
		await open.world.stop();
		open = null;
	}
	open ??= { world: await openLiveWorld({ wallets: WALLETS, ...terms }), terms, rounds: 0 };
	open.rounds++;
	return open.world;
}

test(
	`every payment proceeds after any single false answer [seed ${SEED}]`,
	async () => {
		const rounds = isWhole ? every.alone : sample(every.alone, ALONE_PLAYED);
		expect(rounds.length).toBeGreaterThan(0);
		expect(await playAll(rounds, { hasHonestNode: false })).toEqual([]);
	},
	LIMIT_MS,
);

test(
	`every payment proceeds after any two simultaneous false answers [seed ${SEED}]`,
	async () => {
		const rounds = isWhole
			? [...ofNamed.pairs, ...every.pairs.slice(0, ODD_PAIRS_PLAYED)]
			: sample(ofNamed.pairs, PAIRS_PLAYED);
		// A single row gives no pairs.
		expect(rounds.length > 0 || ONLY !== "").toBe(true);
		expect(await playAll(rounds, { hasHonestNode: false })).toEqual([]);
	},
	LIMIT_MS,
);

test(
	`every payment proceeds while another node is honest [seed ${SEED}]`,
	async () => {
		const rounds = isWhole ? ofNamed.alone : sample(ofNamed.alone, BESIDE_HONEST_PLAYED);
		expect(rounds.length > 0 || ONLY !== "").toBe(true);
		expect(await playAll(rounds, { hasHonestNode: true })).toEqual([]);
	},
	LIMIT_MS,
);

test(
	`a successful transaction is never shown as reverted when one of two nodes lies [seed ${SEED}]`,
	async () => {
		const turned = falseAnswers.filter(({ name }) => name.includes("a success for a revert"));
		const everybody = Array.from({ length: WALLETS - 4 }, (_, place) => [
			turned[place % turned.length] ?? turned[0],
		]);
		const own = everybody.map((ones) => ones.filter((one) => one !== undefined));
		expect(await playAll([{ shared: [], own }], { hasHonestNode: true })).toEqual([]);
		expect(open?.world.node.told()).toBeGreaterThan(0);
	},
	LIMIT_MS,
);

/** Draws a sample: half of it about single wallets, half about what all share. */
function sample(rounds: readonly LiveRound[], count: number): LiveRound[] {
	const isShared = ({ shared }: LiveRound) => shared.length > 0;
	const some = Math.ceil(count / 2);
	const own = rounds.filter((round) => !isShared(round)).slice(0, some);
	return [...own, ...rounds.filter(isShared).slice(0, count - own.length)];
}
