import { afterAll, beforeAll, beforeEach, describe, expect, test } from "bun:test";
import type { Hex } from "#core/chain/Hex.ts";
import type { Rpc } from "#core/chain/rpc/Rpc.ts";
import { createMetrics } from "#core/metrics.ts";
import { settlePast } from "#plugins/wallets/resolve/resolveIntent.ts";
import { type Lab, openExecutionLab, SHOP } from "#plugins/wallets/testing/executionLab.ts";
import type { Person } from "#plugins/wallets/testing/insertPerson.ts";
import {
	type Answering,
	changedEndpoint,
	twoEndpoints,
} from "#plugins/wallets/testing/twoEndpoints.ts";
import { createWatch } from "#plugins/wallets/watch/createWatch.ts";
import { createTestDatabase, type TestDatabase } from "#test/harness/testDatabase.ts";

// Guarantee: of several endpoints one that is silent, counts too much or hides what was sent
// neither holds a wallet for long nor has a payment made twice.

const ETHER = 10n ** 18n;
const LIKE: Hex = "0xabcdef01";
/** Longer than what one endpoint alone counts is waited for. */
const TURNS = 6;
const TURN_MS = 11_000;
let database: TestDatabase;
let lab: Lab;
let by: Person;
let honest: Rpc;
beforeAll(async () => {
	database = await createTestDatabase();
});
afterAll(() => database?.drop());
beforeEach(async () => {
	await database.db.execute("truncate wallets.profile cascade");
	await database.db.execute("truncate wallets.blackout, wallets.account_read, wallets.stray");
	lab = openExecutionLab(database.db);
	by = await lab.person();
	honest = lab.chain.rpc;
	await pay("0x01");
	mine();
	await lab.tick();
});

async function pay(data: Hex): Promise<string> {
	const [intent] = await lab.pay(by, { data });
	return intent?.id ?? "";
}
const read = (id: string) => lab.intent(id);
function mine(blocks = 4): void {
	for (let block = 0; block < blocks; block++) lab.chain.mine();
}
function sendElsewhere(nonce: number, data: Hex): Hex {
	const own = { from: by.wallet.address, to: SHOP, nonce, valueRaw: ETHER / 2n, data };
	const hash = lab.chain.send(own);
	mine();
	return hash;
}
async function restore(sinceMs = 3_600_000): Promise<void> {
	await lab.db.execute("insert into wallets.blackout (since, is_restored) values ($1, true)", [
		new Date(lab.clock.ms - sinceMs),
	]);
}
/** The turns of the jobs until an intent stands elsewhere; says how many there were. */
async function turnsUntil(id: string): Promise<number> {
	let turns = 0;
	for (; turns < TURNS && (await read(id)).status === "created"; turns++) await lab.tick(TURN_MS);
	return turns;
}
const degraded = async () => {
	const watch = createWatch({ deps: lab.deps, metrics: createMetrics(), chainName: String });
	return (await watch.degraded()).map(({ code }) => code);
};

/** Counts so many more of the wallet's transactions, at any block or at some. */
function countingMore(more: number, isAt: (at: string) => boolean = () => true): Answering {
	return ({ method, params }, answer) => {
		const isCount = method === "eth_getTransactionCount" && isAt(String(params[1]));
		return isCount ? `0x${(Number(answer) + more).toString(16)}` : answer;
	};
}
const withoutTransactions: Answering = ({ method }, answer) => {
	const isBlock = method === "eth_getBlockByNumber" && answer !== null;
	return isBlock ? { ...(answer as object), transactions: [] } : answer;
};
/** It says at each block what is so at the newest: nothing came since, whatever was sent. */
const countingAsNow: Answering = ({ method, params }, answer) => {
	if (method !== "eth_getTransactionCount" || params[1] === "pending") return answer;
	return `0x${lab.chain.minedFrom(by.wallet.address).toString(16)}`;
};
function pool(first: Answering | null, second: Answering | null) {
	const of = (change: Answering | null) => (change ? changedEndpoint(honest, change) : honest);
	const made = twoEndpoints(of(first), of(second));
	lab.chain.rpc = made.rpc;
	return made;
}

describe("an endpoint that reports too many transactions, beside an honest one", () => {
	for (const [who, at] of [
		["first", undefined],
		["second", undefined],
		["first", "latest"],
		["second", "latest"],
		["first", "pending"],
		["second", "pending"],
	] as const) {
		test(`${who}, of ${at ?? "all"}: it delays nobody for long, and is distrusted and counted`, async () => {
			await restore();
			const isAt = at ? (asked: string) => asked === at : undefined;
			const lie = countingMore(1, isAt);
			const made = who === "first" ? pool(lie, null) : pool(null, lie);
			const id = await pay(LIKE);
			expect(await turnsUntil(id)).toBeLessThan(TURNS);
			expect((await read(id)).status).toMatch(/^submitt/);
			for (let turn = 0; turn < 3; turn++) await lab.tick(2_000);
			expect((await read(id)).status).toBe("submitted");
			expect(new Set(made.distrusted)).toEqual(new Set([who]));
			expect(await degraded()).toContain("wallet_counts_false");
		});
	}

	test("a pending transaction that one endpoint counts is waited for again after a long time without payments", async () => {
		await restore();
		const made = pool(
			null,
			countingMore(1, (asked) => asked === "pending"),
		);
		await pay(LIKE);
		await lab.tick(3_600_000);
		const id = await pay(LIKE);
		await lab.tick(TURN_MS);
		expect((await read(id)).status).toBe("created");
		expect(made.distrusted).toEqual([]);
		expect(await turnsUntil(id)).toBeGreaterThan(0);
		expect((await read(id)).status).toMatch(/^submitt/);
	});

	test("if it is the only endpoint, payments wait unsent and operators are told what to do", async () => {
		await restore();
		lab.chain.rpc = changedEndpoint(honest, countingMore(1));
		const id = await pay(LIKE);
		await turnsUntil(id);
		expect((await read(id)).status).toBe("created");
		expect(lab.handed).toHaveLength(1);
		expect(await degraded()).toContain("wallet_past_unread");
	});
});

describe("an endpoint that hides transactions, beside an honest one", () => {
	for (const [what, lie] of [
		["the count of before", countingAsNow],
		["the transactions of its blocks", withoutTransactions],
	] as const) {
		for (const who of ["first", "second"] as const) {
			test(`${who}, ${what}: the owner is asked about what the other endpoint shows`, async () => {
				const sent = sendElsewhere(1, LIKE);
				await restore();
				if (who === "first") pool(lie, null);
				else pool(null, lie);
				const id = await pay(LIKE);
				await turnsUntil(id);
				expect(await read(id)).toMatchObject({ errorCode: "looks_paid", looksPaid: sent });
			});
		}
	}

	test("empty blocks prove nothing if more transactions are mined than are known", async () => {
		mine(20);
		const sent = sendElsewhere(1, LIKE);
		await restore();
		// Neither has the state of that time any more.
		lab.chain.state.oldestState = 26;
		const made = pool(withoutTransactions, null);
		const id = await pay(LIKE);
		await turnsUntil(id);
		expect(await read(id)).toMatchObject({ errorCode: "looks_paid", looksPaid: sent });
		expect(made.asked).toContain("second");
	});

	test("if no endpoint shows the counted transactions, the owner is asked, and a confirmation ends that", async () => {
		mine(20);
		sendElsewhere(1, LIKE);
		await restore();
		lab.chain.state.oldestState = 26;
		lab.chain.rpc = changedEndpoint(honest, withoutTransactions);
		const id = await pay(LIKE);
		expect((await read(id)).status).toBe("created");
		await turnsUntil(id);
		expect(await read(id)).toMatchObject({
			...{ errorCode: "looks_paid", looksPaid: `0x${"0".repeat(64)}` },
		});
	});
});

describe("an endpoint that makes up the chain's head, or how many transactions are mined", () => {
	const BILLION = 1_000_000_000;
	/** Says so of the newest block, and of the account there. */
	const farAhead: Answering = ({ method, params }, answer) => {
		if (method === "eth_feeHistory") return { ...(answer as object), oldestBlock: "0x3b9aca00" };
		const isCount = method === "eth_getTransactionCount" && params[1] !== undefined;
		return isCount && params[1] === "latest" ? "0x1" : answer;
	};
	const ahead = (change: Answering) => {
		const told: Answering = (call, answer) =>
			call.method === "eth_blockNumber" ? "0x3b9aca00" : change(call, answer);
		return told;
	};
	const row = async () => {
		const [found] = await lab.db.query<{ block: number; count: number }>(
			"select block::int8 as block, count::int8 as count from wallets.account_read",
		);
		return { block: Number(found?.block ?? 0), count: Number(found?.count ?? 0) };
	};
	async function askedUnreadable(): Promise<string> {
		mine(5_000);
		sendElsewhere(1, "0x");
		await restore();
		lab.chain.state.oldestState = 5_005;
		const id = await pay(LIKE);
		expect(await read(id)).toMatchObject({ looksPaid: `0x${"0".repeat(64)}` });
		return id;
	}
	const head = async () => Number(await honest.call({ method: "eth_blockNumber", params: [] }));

	for (const who of ["first", "second"] as const) {
		test(`${who}: what an owner answers for is read up to the true head, no further`, async () => {
			const id = await askedUnreadable();
			if (who === "first") pool(farAhead, null);
			else pool(null, ahead(farAhead));
			await lab.execution.approve(id, (await read(id)).planHash ?? "0x");
			await lab.execution.advance([id], lab.signal);
			const { block, count } = await row();
			expect(block).toBeLessThanOrEqual(await head());
			expect(count).toBeLessThanOrEqual(2);
		});

		test(`${who}: what an operator answers for is read up to the true head, no further`, async () => {
			const id = await askedUnreadable();
			if (who === "first") pool(farAhead, null);
			else pool(null, ahead(farAhead));
			const { deps, signal } = lab;
			await settlePast(deps, deps.audit, { intentId: id, actor: "ann", signal });
			expect((await row()).block).toBeLessThanOrEqual(await head());
		});
	}

	for (const [what, table] of [
		["that was noted as read", "update wallets.account_read set block = $1, at = $2"],
		[
			"at which the last payment was planned",
			"update wallets.submission set from_block = $1, sent_at = $2",
		],
	] as const) {
		test(`a false head ${what} is corrected, and what was sent is found`, async () => {
			const at = new Date(lab.clock.ms);
			await lab.db.execute(
				`insert into wallets.account_read (chain_id, sender, block, count, at)
				values (31337, $1, 0, 1, $2)`,
				[Buffer.from(by.wallet.address.slice(2), "hex"), at],
			);
			await lab.db.execute(table, [BILLION, at]);
			// So many that the newest is certainly younger: one comes each second.
			mine(1_200);
			const sent = sendElsewhere(1, LIKE);
			const id = await pay(LIKE);
			await turnsUntil(id);
			expect(await read(id)).toMatchObject({ errorCode: "looks_paid", looksPaid: sent });
		});
	}
});

test("after a restore an endpoint that hangs is waited for once, for some seconds", async () => {
	await restore();
	const made = pool(null, null);
	made.moods["second"] = "hangs";
	const beganAt = performance.now();
	const id = await pay(LIKE);
	expect((await read(id)).status).toBe("submitted");
	expect(performance.now() - beganAt).toBeLessThan(6_000);
	expect(made.asked.filter((name) => name === "second")).toHaveLength(1);
});
