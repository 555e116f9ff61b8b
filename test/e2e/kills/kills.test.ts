import { afterAll, beforeAll, expect, test } from "bun:test";
import { stepNames } from "#plugins/wallets/execution/ExecutionDeps.ts";
import { type KillScenario, killScenarios, kindSteps } from "#test/e2e/kills/KillScenario.ts";
import { killOnce } from "#test/e2e/kills/killOnce.ts";
import { type KillLane, type KillWorld, openKillLane } from "#test/e2e/kills/openKillLane.ts";
import { openKillWorld } from "#test/e2e/kills/openTradeLane.ts";
import type { KillPoint } from "#test/e2e/kills/startKillable.ts";
import { TEST_LIMIT_MS } from "#test/harness/testLimits.ts";
import { TEST_SEED } from "#test/harness/testSeed.ts";
import { createPrng } from "#test/sandbox/createPrng.ts";

// Guarantee: wherever on the execution path a process dies, whatever the wallet provider answers
// meanwhile, the next process finishes the request: nothing is paid twice, no intent is lost or
// stuck, and reserved money was spent or given back.

const isProving = process.env["PROVE"] === "1";
/** Kills at each edge of a step; in `test` in one of its scenarios, drawn by the seed. */
const KILLS = Number(process.env["KILLS_EACH"] ?? (isProving ? 20 : 1));
const LANES = 3;
const KILLS_LIMIT_MS = 5 * TEST_LIMIT_MS;
const SEED = Number(process.env["KILLS_SEED"] ?? TEST_SEED);
/** A third of the steps, those between a decision and the result of its payment; see README. */
const STEPS_IN_TEST = [
	"commit.decide",
	"commit.begin",
	"custody.send",
	"commit.outcome",
	"custody.lookup",
	"commit.found",
	"rpc.rebroadcast",
	"commit.close",
];
/**
 * Steps at which the wallet provider's answer counts: killed in `test` with the faulty provider.
 */
const ILL_STEPS = ["custody.send", "commit.outcome", "custody.lookup", "commit.found"];

const edges = [...stepNames, ...kindSteps].flatMap((step) => {
	return (["before", "after"] as const).map((edge) => ({ step, edge, name: `${step}:${edge}` }));
});
const killed = edges.filter(({ step }) => isProving || STEPS_IN_TEST.includes(step));
const random = createPrng(SEED);
const surveyed = new Map<KillScenario, Record<string, number>>();
let world: KillWorld;
let lanes: KillLane[];

beforeAll(async () => {
	world = await openKillWorld();
	lanes = [];
	// One after the other: each fills its own wallet, from accounts that they share.
	for (let index = 0; index < LANES; index++) lanes.push(await openKillLane(world, index));
});
afterAll(async () => {
	for (const lane of lanes ?? []) await lane.stop();
	await world?.stop();
});

/** `others` reach the first point as well, for when `scenario` does not this time. */
type Work = {
	scenario: KillScenario;
	points: KillPoint[];
	others: KillScenario[];
	/** Nobody came by the first point before. */
	isRepeated?: boolean;
};

/** Shares the work out to the lanes; returns what went wrong. */
async function doAll(
	work: Work[],
	act: (lane: KillLane, work: Work) => Promise<string[]>,
): Promise<string[]> {
	const rest = [...work];
	const problems: string[] = [];
	const follow = async (lane: KillLane) => {
		for (let one = rest.shift(); one !== undefined; one = rest.shift()) {
			const { scenario, points } = one;
			const where = points.map(({ step, edge, nth }) => `${step}:${edge} (${nth})`).join(", ");
			const name = `${scenario.name}, killed at ${where || "no point"}`;
			const found = await act(lane, one).catch((error) => [String(error)]);
			problems.push(...found.map((problem) => `${name}: ${problem}`));
			// A lane has one wallet: a fault there would be reported for every later run too.
			if (problems.length > 0) return;
		}
	};
	await Promise.all(lanes.map(follow));
	return problems;
}

/** Plays each scenario without a kill, expects a good end, and notes which edges it reaches. */
async function survey(scenarios: readonly KillScenario[]): Promise<string[]> {
	const work = scenarios.filter((one) => !surveyed.has(one));
	return doAll(
		work.map((scenario) => ({ scenario, points: [], others: [] })),
		async (lane, { scenario }) => {
			const { problems, reached } = await killOnce(lane, {
				scenario,
				points: [],
				holdsMining: false,
			});
			surveyed.set(scenario, reached);
			return problems;
		},
	);
}

/** Returns the kills at an edge, in turn in the scenarios that reach it. */
function killsAt(
	{ step, edge, name }: (typeof edges)[number],
	{ scenarios, kills }: { scenarios: readonly KillScenario[]; kills: number },
): Work[] {
	const able = scenarios.filter((one) => (surveyed.get(one)?.[name] ?? 0) > 0);
	const first = random.int(Math.max(able.length, 1));
	return Array.from({ length: able.length > 0 ? kills : 0 }, (_, n) => {
		const scenario = able[(first + n) % able.length] as KillScenario;
		const times = Math.min(surveyed.get(scenario)?.[name] ?? 1, 3);
		const point = { step, edge, nth: 1 + random.int(times) };
		// In `prove` the process that cleans up sometimes dies as well.
		const again = edges[random.int(edges.length)];
		const second = isProving && random.chance(0.25) && again ? [{ ...again, nth: 1 }] : [];
		const others = able.filter((one) => one !== scenario);
		return { scenario, points: [point, ...second], others };
	});
}

async function kill(lane: KillLane, work: Work): Promise<string[]> {
	const { scenario, points, others } = work;
	const holdsMining = random.chance(0.5);
	const { deaths, problems } = await killOnce(lane, { scenario, points, holdsMining });
	if (deaths > 0 || problems.length > 0) return problems;
	// How often a step is reached, and sometimes whether it is, depends on when a block comes.
	const [point] = points;
	if (point && point.nth > 1) return kill(lane, { ...work, points: [{ ...point, nth: 1 }] });
	const [next, ...rest] = others;
	if (next) return kill(lane, { scenario: next, points, others: rest });
	// An allowance of a buy that was killed spares the next one its first step, and is used up then.
	return work.isRepeated ? ["nobody came by"] : kill(lane, { ...work, isRepeated: true });
}

test(
	`${isProving ? "each step" : "each step near a payment"} is killed before and after (${KILLS} of each), and all amounts are correct [seed ${SEED}]`,
	async () => {
		const { well } = killScenarios;
		expect(await survey(well)).toEqual([]);
		const reached = new Set(well.flatMap((one) => Object.keys(surveyed.get(one) ?? {})));
		// A point that no scenario reaches would prove nothing.
		expect(edges.map(({ name }) => name).filter((name) => !reached.has(name))).toEqual([]);
		// Every named step is on the list.
		const listed = new Set(edges.map(({ name }) => name));
		expect([...reached].filter((name) => !listed.has(name))).toEqual([]);
		expect(STEPS_IN_TEST.filter((step) => !listed.has(`${step}:before`))).toEqual([]);
		const work = killed.flatMap((edge) => killsAt(edge, { scenarios: well, kills: KILLS }));
		expect(work.length).toBe(killed.length * KILLS);
		expect(await doAll(work, kill)).toEqual([]);
	},
	KILLS_LIMIT_MS,
);

test(
	`a silent, late or repeating wallet provider does not change that [seed ${SEED}]`,
	async () => {
		const { ill } = killScenarios;
		expect(await survey(ill)).toEqual([]);
		const chosen = edges.filter(({ step }) => isProving || ILL_STEPS.includes(step));
		const work = chosen.flatMap((edge) => killsAt(edge, { scenarios: ill, kills: KILLS }));
		expect(work.length).toBeGreaterThan(0);
		expect(await doAll(work, kill)).toEqual([]);
	},
	KILLS_LIMIT_MS,
);

test("the books of all runs were sealed run by run, and no row counts as tampered with", async () => {
	for (const lane of lanes) {
		const { rows, unsealed, flaws } = await lane.verifyBooks();
		expect({ unsealed, flaws }).toEqual({ unsealed: 0, flaws: [] });
		expect(rows).toBeGreaterThan(0);
	}
});
