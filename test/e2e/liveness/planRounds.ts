import type { FalseAnswer } from "#test/e2e/liveness/FalseAnswer.ts";
import type { LiveRound } from "#test/e2e/liveness/LiveRound.ts";
import type { Prng } from "#test/sandbox/createPrng.ts";

/** Wallets in each round that are told the truth: they must not wait for the others. */
const HONEST_MIN = 4;

/**
 * Plans rounds with every false answer alone, and with every two at a time, in as few rounds as
 * possible: answers about a wallet share a round, one wallet each; answers about all take a round
 * each.
 */
export function planRounds(
	answers: readonly FalseAnswer[],
	{ wallets, random }: { wallets: number; random: Prng },
): { alone: LiveRound[]; pairs: LiveRound[] } {
	const own = shuffled(
		answers.filter(({ about }) => about === "wallet"),
		random,
	);
	const shared = shuffled(
		answers.filter(({ about }) => about === "all"),
		random,
	);
	const places = wallets - HONEST_MIN;
	const inGroups = (groups: readonly (readonly FalseAnswer[])[], all: readonly FalseAnswer[]) => {
		return chunks(groups, places).map((chunk): LiveRound => ({ shared: all, own: chunk }));
	};
	const singles = own.map((one) => [one]);
	return {
		alone: [
			...inGroups(singles, []),
			...shared.map((one): LiveRound => ({ shared: [one], own: [] })),
		],
		pairs: shuffled(
			[
				...inGroups(shuffled(pairsOf(own), random), []),
				...shared.flatMap((one) => inGroups(singles, [one])),
				...pairsOf(shared).map((two): LiveRound => ({ shared: two, own: [] })),
			],
			random,
		),
	};
}

function pairsOf(answers: readonly FalseAnswer[]): FalseAnswer[][] {
	return answers.flatMap((one, place) => answers.slice(place + 1).map((other) => [one, other]));
}

function chunks<Item>(items: readonly Item[], size: number): Item[][] {
	return Array.from({ length: Math.ceil(items.length / size) }, (_, n) =>
		items.slice(n * size, (n + 1) * size),
	);
}

function shuffled<Item>(items: readonly Item[], random: Prng): Item[] {
	return items
		.map((item) => ({ item, order: random.next() }))
		.sort((one, other) => one.order - other.order)
		.map(({ item }) => item);
}
