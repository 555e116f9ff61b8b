import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import fc from "fast-check";
import { builtinChains } from "#core/chain/builtinChains.ts";
import { shareRpc } from "#core/chain/reads/shareRpc.ts";
import { chainRpc } from "#core/chain/rpc/chainRpc.ts";
import type { Rpc } from "#core/chain/rpc/Rpc.ts";
import { createCommits } from "#core/db/createCommits.ts";
import { assert } from "#core/fault.ts";
import { silentLog } from "#core/log.ts";
import { createExecution } from "#plugins/wallets/createWallets.ts";
import { reconcileJobs } from "#plugins/wallets/reconcile/reconcileJobs.ts";
import { CHAIN_ID, openExecutionLab } from "#plugins/wallets/testing/executionLab.ts";
import type { Person } from "#plugins/wallets/testing/insertPerson.ts";
import {
	type Lie,
	lyingEndpoint,
	type Member,
	numbersIn,
} from "#plugins/wallets/testing/lyingEndpoint.ts";
import { createTestDatabase, type TestDatabase } from "#test/harness/testDatabase.ts";

// Guarantee: whatever a node answers in place of a number, nobody's transfers are stopped by it for
// longer than it lies, also after a restart; where a second node is honest, they do not even wait.

/** Of some twenty numbers and fourteen values; `prove` tries nearly all. */
const RUNS = process.env["PROVE"] === "1" ? 200 : 12;
const hex = (value: bigint) => `0x${value.toString(16)}`;
const VALUES = [
	...[2n ** 53n, 2n ** 63n, 2n ** 64n, 2n ** 256n - 1n].map(hex),
	...["0x-1", "-1", -1, "", "0x", null, 1.5, "1.5", "many", "0xffffffffffffff"],
];
const anvil = builtinChains.find(({ id }) => id === CHAIN_ID);

let database: TestDatabase;
beforeAll(async () => {
	database = await createTestDatabase();
});
afterAll(() => database?.drop());

/** The money path over one or two endpoints of one chain; the first lies while it is told to. */
async function openLab(endpoints: 1 | 2) {
	const { db } = database;
	await db.execute("truncate wallets.profile, core.quarantined_row cascade");
	const lab = openExecutionLab(db);
	const { chain, clock, deps, signal } = lab;
	const state: { lie: Lie | null; seen: Map<string, Member> } = { lie: null, seen: new Map() };
	const node: Rpc = {
		...chain.rpc,
		call: async (call, options) => {
			return call.method === "eth_chainId" ? hex(BigInt(CHAIN_ID)) : chain.rpc.call(call, options);
		},
	};
	const listening: Rpc = {
		...node,
		async settle(calls, options) {
			const outcomes = await node.settle(calls, options);
			for (const [place, outcome] of outcomes.entries()) {
				if (outcome.kind === "result") listen(calls[place]?.method ?? "", outcome.result);
			}
			return outcomes;
		},
		async batch(calls, options) {
			const answers = await node.batch(calls, options);
			for (const [place, one] of answers.entries()) listen(calls[place]?.method ?? "", one);
			return answers;
		},
	};
	function listen(method: string, answer: unknown) {
		for (const one of numbersIn(method, answer)) {
			state.seen.set([one.method, ...one.path].join("."), one);
		}
	}
	const openPool = () => {
		assert(anvil, "the sandbox's chain is built in");
		const liar = { name: "liar", open: () => lyingEndpoint(listening, () => state.lie) };
		const honest = { name: "honest", open: () => node };
		return shareRpc(
			chainRpc({
				chain: anvil,
				endpoints: endpoints === 1 ? [liar] : [liar, honest],
				clock,
				log: silentLog,
			}),
		);
	};
	let jobs: ReturnType<typeof reconcileJobs> = [];
	let execution = lab.execution;
	/** A process that has just started: all that it knows is in the database. */
	const restart = () => {
		const rpc = openPool();
		const fresh = { ...deps, commits: createCommits(db), rpcOf: () => rpc };
		execution = createExecution(fresh, () => {});
		jobs = reconcileJobs(fresh, execution);
	};
	restart();
	return {
		...lab,
		state,
		restart,
		/** The id of what is recorded; a node that lies may keep it from going further at once. */
		async pay(by: Person): Promise<string> {
			const [intent] = await lab.pay(by, { stays: true });
			assert(intent, "an intent was recorded");
			await execution.advance([intent.id], signal).catch(() => {});
			return intent.id;
		},
		async ticks(count: number, ms = 1_000): Promise<void> {
			for (let tick = 0; tick < count; tick++) {
				clock.ms += ms;
				chain.mine();
				for (const job of jobs) await job.run({ signal });
			}
		},
	};
}

/** Every number of every answer that an honest run reads. */
async function discover(): Promise<Member[]> {
	const lab = await openLab(1);
	const id = await lab.pay(await lab.person());
	await lab.ticks(5);
	expect(await lab.intent(id)).toMatchObject({ status: "confirmed" });
	return [...lab.state.seen.values()];
}

async function statusOf(lab: Awaited<ReturnType<typeof openLab>>, id: string): Promise<string> {
	return (await lab.intent(id)).status;
}

describe("a node that answers nonsense in place of a number", () => {
	let members: Member[] = [];
	beforeAll(async () => {
		members = await discover();
	});
	const lies = () =>
		fc.tuple(fc.constantFrom(...members), fc.constantFrom(...VALUES)).map(([member, value]) => {
			return { ...member, value };
		});

	test("every number that the payment path reads is replaced by nonsense in these tests", () => {
		expect(members.map(({ method, path }) => [method, ...path].join("."))).toEqual(
			expect.arrayContaining([
				...["eth_getBalance", "eth_getTransactionCount", "eth_gasPrice", "eth_estimateGas"],
				...["eth_feeHistory.oldestBlock", "eth_feeHistory.baseFeePerGas.0", "eth_blockNumber"],
				...["eth_getTransactionByHash.nonce", "eth_getTransactionByHash.value"],
				...["eth_getTransactionReceipt.blockNumber", "eth_getTransactionReceipt.status"],
			]),
		);
	});

	test("a node's false number delays payments only while it lasts, whatever was stored meanwhile", async () => {
		await fc.assert(
			fc.asyncProperty(lies(), async (lie) => {
				const lab = await openLab(1);
				const [anna, bob, carl] = [await lab.person(), await lab.person(), await lab.person()];
				const before = await lab.pay(bob);
				lab.state.lie = lie;
				const under = await lab.pay(anna);
				await lab.ticks(2);
				lab.restart();
				await lab.ticks(1);
				lab.state.lie = null;
				lab.restart();
				const after = await lab.pay(carl);
				await lab.ticks(6, 20_000);
				expect(await statusOf(lab, before)).toBe("confirmed");
				expect(await statusOf(lab, after)).toBe("confirmed");
				// Hers was asked for while all was false: it is sent, or was refused for a reason.
				expect(["confirmed", "rejected", "expired"]).toContain(await statusOf(lab, under));
			}),
			{ numRuns: RUNS },
		);
	});

	test("a payment does not wait for a node with false numbers while another node is honest", async () => {
		await fc.assert(
			fc.asyncProperty(lies(), async (lie) => {
				// What a number may be is no nonsense: only a second opinion would show it.
				fc.pre(!isPossible(lie));
				const lab = await openLab(2);
				const [anna, bob] = [await lab.person(), await lab.person()];
				const before = await lab.pay(bob);
				lab.state.lie = lie;
				const under = await lab.pay(anna);
				await lab.ticks(4);
				expect([await statusOf(lab, before), await statusOf(lab, under)]).toEqual([
					...["confirmed", "confirmed"],
				]);
			}),
			{ numRuns: RUNS },
		);
	});
});

/** An amount of any size, and a price of gas of 2^53 wei. */
function isPossible({ method, path, value }: Lie): boolean {
	const name = [method, ...path].join(".");
	const isHex = typeof value === "string" && /^0x[0-9a-f]+$/.test(value);
	if (name === "eth_getBalance" || path.at(-1) === "value") return isHex;
	const isPrice = /gasPrice|PerGas/.test(name);
	return isPrice && isHex && BigInt(value) <= 10n ** 18n;
}
