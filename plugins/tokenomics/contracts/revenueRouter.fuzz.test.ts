import { afterAll, beforeAll, expect, test } from "bun:test";
import fc from "fast-check";
import type { Address } from "viem";
import { TEST_SEED } from "#test/harness/testSeed.ts";
import { type ContractLab, openContractLab } from "../testing/openContractLab.ts";
import {
	createModel,
	type Mode,
	NATIVE,
	openRouterLab,
	type RouterLab,
} from "../testing/openRouterLab.ts";

const RUNS = process.env.PROVE === "1" ? 100 : 12;
const STEPS = 40;
/** Many, and most of them are used once. */
const SOURCES = ["", "shop", "club", ...Array.from({ length: 60 }, (_, index) => `one ${index}`)];
const MODES: Mode[] = ["honest", "fee", "false", "silent", "idle", "greedy", "reentrant"];
let lab: ContractLab;

beforeAll(async () => {
	lab = await openContractLab();
});
afterAll(() => lab.anvil.stop());

const source = fc.constantFrom(...SOURCES);
const token = fc.nat({ max: 1 });
const currency = fc.nat({ max: 2 });
const bucket = fc.nat({ max: 3 });
/** Mostly dust, where rounding shows. */
const amount = fc.oneof(
	fc.bigInt({ min: 1n, max: 20n }),
	fc.bigInt({ min: 1n, max: 100_000n }),
	fc.bigInt({ min: 1n, max: 10n ** 21n }),
);
const cuts = fc.tuple(...[0, 1, 2].map(() => fc.integer({ min: 0, max: 10_000 })));
const bps = cuts
	.map((all) => all.sort((a, b) => a - b))
	.map(([a = 0, b = 0, c = 0]) => [a, b - a, c - b, 10_000 - c]);
const Step = fc.oneof(
	{ weight: 4, arbitrary: fc.record({ do: fc.constant("coins"), source, amount }) },
	{ weight: 4, arbitrary: fc.record({ do: fc.constant("tokens"), source, token, amount }) },
	{ weight: 1, arbitrary: fc.record({ do: fc.constant("gift"), token, amount }) },
	{ weight: 3, arbitrary: fc.record({ do: fc.constant("release"), bucket, currency }) },
	{ weight: 1, arbitrary: fc.record({ do: fc.constant("split"), source, bps }) },
	{
		weight: 1,
		arbitrary: fc.record({ do: fc.constant("crooked"), source, bps, by: fc.constantFrom(1, -1) }),
	},
	{
		weight: 2,
		arbitrary: fc.record({ do: fc.constant("mode"), token, mode: fc.constantFrom(...MODES) }),
	},
);
type Step = {
	do: string;
	source?: string;
	amount?: bigint;
	token?: number;
	bucket?: number;
	currency?: number;
	bps?: number[];
	by?: number;
	mode?: Mode;
};

/** A router, what should stand in its books, and what its tokens do now. */
type Run = {
	at: RouterLab;
	model: ReturnType<typeof createModel>;
	currencies: Address[];
	modes: Map<Address, Mode>;
};

async function take(run: Run, step: Step): Promise<void> {
	const { at, model, currencies, modes } = run;
	const { amount: sent = 0n, source: label = "", bps: split = [] } = step;
	const coin = currencies[1 + (step.token ?? 0)] ?? NATIVE;
	const isDone = async (call: Parameters<ContractLab["act"]>[1], by = at.payer) =>
		(await lab.act(by, call)).isDone;
	switch (step.do) {
		case "coins":
			expect(await isDone(at.deposit(label, sent))).toBe(true);
			return model.receive(label, NATIVE, sent);
		case "tokens": {
			const got = arrives(modes.get(coin), sent);
			expect(await isDone(at.depositToken(label, coin, sent))).toBe(got > 0n);
			if (got > 0n) model.receive(label, coin, got);
			return;
		}
		case "gift": {
			const got = arrives(modes.get(coin), sent);
			// No call of the router is under way, so the token's own release of bucket 1 holds.
			if (modes.get(coin) === "reentrant") model.release(1, coin);
			await lab.act(at.payer, at.ofToken(coin, "transfer", [at.router, sent]));
			expect(await isDone(at.ofRouter("countTransferred", [coin]))).toBe(got > 0n);
			if (got > 0n) model.receive("", coin, got);
			return;
		}
		case "release": {
			const of = currencies[step.currency ?? 0] ?? NATIVE;
			const due = model.owed(of)[step.bucket ?? 0] ?? 0n;
			const isHonest = !["false", "idle", "greedy"].includes(modes.get(of) ?? "honest");
			const paid = await isDone(at.release(step.bucket ?? 0, of));
			expect(paid).toBe(due === 0n || isHonest);
			if (paid) model.release(step.bucket ?? 0, of);
			return;
		}
		case "split":
			expect(await isDone(at.setSplit(label, split), at.owner)).toBe(true);
			return model.setSplit(label, split);
		case "crooked": {
			const bent = split.with(3, Math.abs((split[3] ?? 0) + (step.by ?? 1)));
			expect(await isDone(at.setSplit(label, bent), at.owner)).toBe(false);
			return;
		}
		case "mode":
			modes.set(coin, step.mode ?? "honest");
			await at.setMode(coin, step.mode ?? "honest");
	}
}

/** What a router gets of a transfer. */
function arrives(mode: Mode | undefined, sent: bigint): bigint {
	if (mode === "false" || mode === "idle") return 0n;
	return mode === "fee" ? sent - sent / 30n : sent;
}

test("[TOK-03] shares equal the unit after every deposit, split and release, however tokens behave", async () => {
	const runs = fc.array(Step, { minLength: STEPS, maxLength: STEPS });
	await fc.assert(
		fc.asyncProperty(runs, async (steps) => {
			const at = await openRouterLab(lab);
			const currencies = [NATIVE, ...at.tokens];
			const run: Run = { at, model: createModel(), currencies, modes: new Map() };
			for (const one of at.tokens) {
				const data = lab.encoded(at.release(1, one)).data;
				await lab.must(at.payer, at.ofToken(one, "aim", [at.router, data]));
			}
			for (const step of steps) {
				await take(run, step as Step);
				for (const [index, books] of (await at.books(currencies)).entries()) {
					const of = currencies[index] ?? NATIVE;
					expect(books.owed.reduce((all, one) => all + one)).toBe(books.held);
					expect([...books.earned]).toEqual(run.model.earned(of));
					expect([...books.owed]).toEqual(run.model.owed(of));
					for (const [at, exact] of run.model.exact(of).entries()) {
						const short = exact - (books.earned[at] ?? 0n) * 10_000n;
						expect(short > -10_000n && short < 20_000n).toBe(true);
					}
				}
			}
		}),
		{ seed: TEST_SEED, numRuns: RUNS, endOnFailure: true },
	);
});
