import { afterAll, beforeAll, expect, test } from "bun:test";
import { bundleKillable, type KillableBundle } from "#test/e2e/kills/startKillable.ts";
import type { FalseAnswer } from "#test/e2e/liveness/FalseAnswer.ts";
import { falseAnswers } from "#test/e2e/liveness/falseAnswers.ts";
import type { LiveRound } from "#test/e2e/liveness/LiveRound.ts";
import { type LiveWorld, openLiveWorld } from "#test/e2e/liveness/openLiveWorld.ts";
import { playRound } from "#test/e2e/liveness/playRound.ts";
import { type MortalService, startMortalService } from "#test/e2e/liveness/startLiveService.ts";
import { TEST_LIMIT_MS } from "#test/harness/testLimits.ts";
import { TEST_SEED } from "#test/harness/testSeed.ts";
import { createPrng } from "#test/sandbox/createPrng.ts";

// Guarantee: processes die at any moment while sources lie, and the next one goes on: what the
// chain says was paid is what the ledger has, nothing is paid twice, and nothing is stuck.

const isProving = process.env["PROVE"] === "1";
const SEED = Number(process.env["LIVENESS_SEED"] ?? TEST_SEED);
const KILLS = isProving ? 60 : 6;
const WALLETS = 6;
const DEATHS_PER_ROUND = 3;
/** Four times as many as would do if each round used all its deaths; not every round does. */
const ROUNDS_MAX = (4 * KILLS) / DEATHS_PER_ROUND;
const LIMIT_MS = 3 * TEST_LIMIT_MS;

const random = createPrng(SEED);
let bundle: KillableBundle;
let world: LiveWorld;
let service: MortalService | null = null;

beforeAll(async () => {
	bundle = await bundleKillable();
	world = await openLiveWorld({
		wallets: WALLETS,
		tokens: WALLETS * ROUNDS_MAX,
		async start(options) {
			service = await startMortalService({ ...options, bundle, random });
			return service;
		},
	});
});
afterAll(async () => {
	await world?.stop();
	await bundle?.remove();
});

test(
	`buys and transfers are paid correctly though ${KILLS} processes die [seed ${SEED}]`,
	async () => {
		let rounds = 0;
		while ((service?.deaths() ?? 0) < KILLS && rounds < ROUNDS_MAX) {
			rounds++;
			world.mayDie(DEATHS_PER_ROUND);
			expect(await playRound(world, anyRound(), { isDeadly: true })).toEqual([]);
		}
		expect(service?.deaths() ?? 0).toBeGreaterThanOrEqual(KILLS);
		const paid = await world.db.query<{ kind: string }>(
			"select distinct kind from wallets.intent where status = 'confirmed' order by kind",
		);
		expect(paid.map(({ kind }) => kind)).toEqual(["nft_buy", "transfer"]);
	},
	LIMIT_MS,
);

/** Draws a round: up to two false answers about each wallet, and sometimes one about all. */
function anyRound(): LiveRound {
	const about = (whom: FalseAnswer["about"]) => falseAnswers.filter((one) => one.about === whom);
	return {
		shared: random.chance(0.3) ? [random.pick(about("all"))] : [],
		own: Array.from({ length: WALLETS }, () =>
			Array.from({ length: random.int(3) }, () => random.pick(about("wallet"))),
		),
	};
}
