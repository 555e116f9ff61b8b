import { expect, test } from "bun:test";
import { askAboutOne, createAsk } from "#test/e2e/oracle/askAboutOne.ts";
import { askLists, readBooks, viewOf } from "#test/e2e/oracle/askLists.ts";
import { createViews } from "#test/e2e/oracle/createViews.ts";
import type { Tally } from "#test/e2e/oracle/expected/figuresOf.ts";
import { dayLater, mineLive } from "#test/e2e/oracle/mineLive.ts";
import type { View } from "#test/e2e/oracle/model.ts";
import { type OracleLab, openOracleLab } from "#test/e2e/oracle/openOracleLab.ts";
import {
	arePriced,
	countRecipients,
	readNews,
	readRates,
	readTokens,
} from "#test/e2e/oracle/waits.ts";
import { TEST_LIMIT_MS } from "#test/harness/testLimits.ts";

// Guarantee: every figure of every route is what an oracle makes of the chain and of the provider's
// answers, or null for a reason that the answer states; partial coverage is stated. ORACLE_SEED
// replays one seed with every variant of a request.

const { ORACLE_SEED, PROVE } = process.env;
const isWhole = PROVE === "1" || ORACLE_SEED !== undefined;
/** One seed in `test`, whose time is short; `prove` plays them all. */
const usual = PROVE === "1" ? Array.from({ length: 12 }, (_, at) => at) : [2];
const seeds = ORACLE_SEED === undefined ? usual : [Number(ORACLE_SEED)];
/** A limit for a hanging run; a busy machine takes minutes. */
const LIMIT_MS = 5 * TEST_LIMIT_MS;

for (const seed of seeds) {
	test(
		`every figure of every route equals the oracle's (ORACLE_SEED=${seed})`,
		async () => {
			const oracle = await openOracleLab(seed);
			const tally: Tally = new Map();
			try {
				expect(await problemsOf(oracle, { seed, tally })).toEqual([]);
			} finally {
				await oracle.lab.close();
			}
			// No figure was null each time it was compared.
			for (const name of FIGURES) {
				const isNumber = tally.has(`${name} counted`) || tally.has(`${name} told`);
				expect({ name, isNumber }).toEqual({ name, isNumber: true });
			}
		},
		LIMIT_MS,
	);
}

const FIGURES = [
	"floorNative",
	"floorChange24hPercent",
	"volume24hNative",
	"sales24h",
	"ownersCount",
	"listedCount",
	"totalSupply",
	"mints1h",
	"mintedSupply",
	"mintPriceNative",
];

async function problemsOf(oracle: OracleLab, { seed, tally }: { seed: number; tally: Tally }) {
	const { lab } = oracle;
	const problems: string[] = [];
	await readRates(oracle);
	await lab.syncAll();
	await arePriced(oracle);
	await readTokens(oracle);
	await mineLive(oracle, problems);
	await readBooks(oracle, problems);
	await readNews(oracle);
	await countRecipients(oracle);
	const ask = createAsk(oracle, problems);
	for (const [at, view] of (await createViews(oracle)).entries()) {
		await askAboutOne({ ask, tally, turn: at + seed, isWhole }, view);
	}
	await askLists(ask, { lab, isWhole });
	problems.push(...unpricedOf(await createViews(oracle), oracle));
	await dayLater(oracle, { problems, tally });
	return problems;
}

/** Sold in other coins than ether; in each seed some sales of the first have no rate. */
const FOREIGN = [
	{ slug: "told-usdc", chain: "base" },
	{ slug: "told-apes", chain: "apechain" },
];

/**
 * Checks that, where there is a feed, both sales with a rate and sales without one were compared.
 */
function unpricedOf(views: readonly View[], { feeds }: OracleLab): string[] {
	return FOREIGN.flatMap((name, at) => {
		const isPriced = viewOf(views, name).known.map((sale) => sale.worth !== null);
		const wanted = feeds.all.length === 0 ? [false] : at === 0 ? [true, false] : [true];
		const left = wanted.filter((one) => !isPriced.includes(one));
		return left.map((one) => `no sale of ${name.slug} was met whose price is known: ${one}`);
	});
}
