import { afterAll, beforeAll, beforeEach, describe, expect, test } from "bun:test";
import { type Hex, ZERO_ADDRESS } from "#core/chain/Hex.ts";
import { whereIs } from "#plugins/bridge/bridges/renderBridge.ts";
import {
	isWakeable,
	listOpenBridges,
	listUnfinishedFirst,
	wakeBridge,
} from "#plugins/bridge/sql/bridges.ts";
import { listMoves, sumUnfinished } from "#plugins/bridge/sql/moves.ts";
import { FIRST_SEEN, insertPins, replacePin } from "#plugins/bridge/sql/pins.ts";
import { insertSecond } from "#plugins/bridge/sql/secondDeposits.ts";
import {
	AMOUNT,
	createLieLab,
	DEPOSITORY,
	EXPECTED,
	type LieBridge,
	type LieLab,
	MINIMUM,
	SOLVER,
	STRANGER,
	TOKEN,
	USER,
} from "#plugins/bridge/testing/createLieLab.ts";
import type { SimTransaction } from "#plugins/bridge/testing/simChain.ts";
import { createTestDatabase, type TestDatabase } from "#test/harness/testDatabase.ts";

// Guarantee: a bridge ends by payments that the provider made for it, after its deposit, and that
// are no other bridge's; whatever else is claimed is in doubt, with a reason and an alarm.

const SPAM = `0x${"5a".repeat(20)}` as const;

let database: TestDatabase;
let lab: LieLab;
beforeAll(async () => {
	database = await createTestDatabase();
	lab = createLieLab(database.db);
});
afterAll(() => database?.drop());
beforeEach(() => lab.fresh());

type Paying = { to?: Hex; by?: Hex; currency?: Hex; input?: Hex };
/** A payment as the solver makes it, unless somebody else does. */
function paying(raw: bigint, given: Paying = {}): SimTransaction {
	const { to = USER, by = SOLVER, currency = TOKEN, input = "0x" } = given;
	if (currency === ZERO_ADDRESS) return { from: by, to, value: raw, input };
	return { from: by, to: currency, input, pays: [{ currency, from: by, to, raw }] };
}
const pay = (chain: "origin" | "destination", ...all: SimTransaction[]) =>
	lab.chains[chain].mine(all, lab.nowS());
const states = async (...bridges: LieBridge[]) =>
	await Promise.all(
		bridges.map(async (one) => {
			const { status, errorCode, isVerified, arrivedRaw } = await lab.read(one);
			return [status, errorCode, isVerified, arrivedRaw];
		}),
	);

describe("a fill", () => {
	test("a fill is the solver's payment after the deposit, or anybody's with the order's id", async () => {
		const one = await lab.deposited();
		const other = await lab.deposited();
		lab.say(one, "success", pay("destination", paying(EXPECTED)));
		const input: Hex = `0x${other.orderId.slice(2)}`;
		lab.say(other, "success", pay("destination", paying(EXPECTED, { by: STRANGER, input })));
		await lab.pass(1_000);
		const done = ["success", null, true, EXPECTED];
		expect(await states(one, other)).toEqual([done, done]);
		expect(lab.alarms).toEqual([]);
	});

	test("a payment of a solver that was pinned after the deposit is no fill, unless by an operator", async () => {
		await database.db.execute("delete from bridge.pin where role = 'solver'");
		const one = await lab.deposited();
		lab.say(one, "success", pay("destination", paying(EXPECTED)));
		await lab.pass(1_000);
		const doubt = ["uncertain", "fill_short", null, 0n];
		expect(await states(one)).toEqual([doubt]);
		const pin = { chainId: 2, role: "solver", address: SOLVER, codeHash: null } as const;
		const at = new Date(lab.clock.ms);
		await insertPins(database.db, [pin], { by: FIRST_SEEN, at });
		await lab.pass(60_000);
		expect(await states(one)).toEqual([doubt]);
		await database.db.transaction((tx) => replacePin(tx, pin, { by: "olga", at }));
		await lab.pass(60_000);
		expect(await states(one)).toEqual([["success", null, true, EXPECTED]]);
	});

	test("a stranger's payment, or one that is older than the bridge, is no fill", async () => {
		const old = pay("destination", paying(EXPECTED));
		const one = await lab.deposited();
		const other = await lab.deposited();
		lab.say(one, "success", pay("destination", paying(EXPECTED, { by: STRANGER })));
		lab.say(other, "success", old);
		await lab.pass(1_000);
		const doubt = ["uncertain", "fill_short", null, 0n];
		expect(await states(one, other)).toEqual([doubt, doubt]);
		expect(lab.alarms).toEqual(["fill_short", "fill_short"]);
		expect((await lab.read(one)).detail).toContain("nobody of the provider's");
		expect((await lab.read(other)).detail).toContain("before the deposit");
	});

	test("a fill belongs to one bridge, also if two are told of it at once", async () => {
		const all = [await lab.deposited(), await lab.deposited(), await lab.deposited()];
		const hashes = pay("destination", paying(EXPECTED));
		for (const one of all) lab.say(one, "success", hashes);
		await lab.pass(1_000);
		const found = await states(...all);
		expect(found.filter(([status]) => status === "success")).toHaveLength(1);
		expect(found.filter(([, code]) => code === "fill_short")).toHaveLength(2);
	});

	test("a transaction that pays two bridges is a fill of each", async () => {
		const one = await lab.deposited();
		const other = await lab.deposited();
		const both = paying(EXPECTED);
		const pays = [...(both.pays ?? []), { currency: TOKEN, from: SOLVER, to: USER, raw: MINIMUM }];
		const hashes = pay("destination", { ...both, pays });
		lab.say(one, "success", hashes);
		lab.say(other, "success", hashes);
		await lab.pass(1_000);
		const found = await states(one, other);
		expect(found.map(([status]) => status)).toEqual(["success", "success"]);
		expect(new Set(found.map(([, , , raw]) => raw))).toEqual(new Set([EXPECTED, MINIMUM]));
	});

	test("a block's growth of the coin is a fill once, by however many hashes it is named", async () => {
		const one = await lab.deposited({ to: ZERO_ADDRESS });
		const input: Hex = `0x${USER.slice(2)}`;
		const half = { currency: ZERO_ADDRESS, from: SOLVER, to: USER, raw: MINIMUM / 2n };
		const inner = { from: SOLVER, to: DEPOSITORY, input };
		const hashes = pay("destination", { ...inner, pays: [half] }, inner);
		lab.say(one, "success", hashes);
		await lab.pass(1_000);
		expect(await states(one)).toEqual([["uncertain", "fill_short", null, MINIMUM / 2n]]);
	});

	test("a fill is not a transaction beside one that paid the coin, unless an operator says so", async () => {
		const [one, other] = [
			await lab.deposited({ to: ZERO_ADDRESS }),
			await lab.deposited({ to: ZERO_ADDRESS }),
		];
		const named: Hex = `0x${USER.slice(2)}`;
		const coin = { currency: ZERO_ADDRESS, from: STRANGER, to: USER, raw: EXPECTED };
		const paid: SimTransaction = { from: STRANGER, to: DEPOSITORY, input: "0x", pays: [coin] };
		const called: SimTransaction = { from: STRANGER, to: DEPOSITORY, input: named };
		const marked: Hex = `0x${other.orderId.slice(2)}`;
		for (const [bridge, nothing] of [
			[one, called],
			[one, { ...called, from: SOLVER }],
			[other, { ...called, input: marked }],
		] as const) {
			const [hash = "0x"] = pay("destination", nothing, paid);
			lab.say(bridge, "success", [hash]);
			await lab.pass(60_000);
			expect(await states(bridge)).toEqual([["uncertain", "fill_short", null, EXPECTED]]);
			expect((await lab.read(bridge)).detail).toMatch(/no node says/);
		}
		await lab.accept(one);
		await lab.pass(60_000);
		expect(await states(one)).toEqual([["success", null, null, EXPECTED]]);
		const ended = await lab.read(one);
		expect([whereIs(ended), isWakeable(ended)]).toEqual([
			expect.stringContaining("so says an operator"),
			false,
		]);
		for (let hour = 0; hour < 3; hour++) await lab.pass(3_600_000);
		expect((await lab.read(one)).lookAt).toBeNull();
	});

	test("an operator's word for coin in doubt is about its transaction, and no other one", async () => {
		const one = await lab.deposited({ to: ZERO_ADDRESS });
		const input: Hex = `0x${USER.slice(2)}`;
		const pays = [{ currency: ZERO_ADDRESS, from: STRANGER, to: USER, raw: EXPECTED }];
		const called: SimTransaction = { from: STRANGER, to: DEPOSITORY, input, pays };
		lab.say(one, "success", pay("destination", called));
		await lab.pass(1_000);
		await lab.accept(one);
		lab.say(one, "success", pay("destination", called));
		await lab.pass(60_000);
		expect(await states(one)).toEqual([["uncertain", "fill_short", null, EXPECTED]]);
	});

	test("an operator's word for coin that the provider's node alone shows waits for a node of ours", async () => {
		const one = await lab.deposited({ to: ZERO_ADDRESS });
		const input: Hex = `0x${USER.slice(2)}`;
		const pays = [{ currency: ZERO_ADDRESS, from: STRANGER, to: USER, raw: EXPECTED }];
		lab.reads.destination = "public";
		lab.say(one, "success", pay("destination", { from: STRANGER, to: DEPOSITORY, input, pays }));
		await lab.pass(1_000);
		await lab.accept(one);
		await lab.pass(60_000);
		expect(await states(one)).toEqual([["success", null, false, EXPECTED]]);
		lab.reads.destination = "own";
		for (let hour = 0; hour < 4; hour++) await lab.pass(3_600_000);
		expect(await states(one)).toEqual([["success", null, null, EXPECTED]]);
		expect((await lab.read(one)).lookAt).toBeNull();
	});

	test("a fill of the coin by an inner call with the order's id ends a bridge in a busy block", async () => {
		const one = await lab.deposited({ to: ZERO_ADDRESS });
		const input: Hex = `0x${USER.slice(2)}${one.orderId.slice(2)}`;
		const pays = [{ currency: ZERO_ADDRESS, from: DEPOSITORY, to: USER, raw: EXPECTED }];
		const busy = { from: STRANGER, to: TOKEN, input: "0xabcdef" } as const;
		const [, hash = "0x"] = pay(
			"destination",
			busy,
			{ from: SOLVER, to: TOKEN, input, pays },
			busy,
		);
		lab.say(one, "success", [hash]);
		await lab.pass(1_000);
		expect(await states(one)).toEqual([["success", null, true, EXPECTED]]);
	});

	test("the coin that arrived in one block is shared among bridges up to what it grew by", async () => {
		const all = [
			await lab.deposited({ to: ZERO_ADDRESS }),
			await lab.deposited({ to: ZERO_ADDRESS }),
			await lab.deposited({ to: ZERO_ADDRESS }),
		];
		const input: Hex = `0x${USER.slice(2)}`;
		const pays = [{ currency: ZERO_ADDRESS, from: SOLVER, to: USER, raw: 2n * EXPECTED }];
		const hashes = pay("destination", { from: SOLVER, to: DEPOSITORY, input, pays });
		for (const one of all) lab.say(one, "success", hashes);
		await lab.pass(1_000);
		const found = await states(...all);
		expect(found.map(([status]) => status).sort()).toEqual(["success", "success", "uncertain"]);
	});

	test("below the minimum says how much there is, and is one with what comes later", async () => {
		const one = await lab.deposited();
		const [first = "0x"] = pay("destination", paying(MINIMUM - 5n));
		lab.say(one, "success", [first]);
		await lab.pass(1_000);
		expect(await states(one)).toEqual([["uncertain", "fill_short", null, MINIMUM - 5n]]);
		const [second = "0x"] = pay("destination", paying(5n));
		lab.say(one, "success", [first, second]);
		await lab.pass(60_000);
		expect(await states(one)).toEqual([["success", null, true, MINIMUM]]);
		expect(lab.alarms).toEqual(["fill_short"]);
	});

	test("a payment in another token, and the deposit itself, are no fill", async () => {
		const one = await lab.deposited();
		const other = await lab.deposited();
		lab.say(one, "success", pay("destination", paying(EXPECTED, { currency: SPAM })));
		lab.say(other, "success", [other.depositHash]);
		await lab.pass(1_000);
		expect(await states(one, other)).toEqual([
			["uncertain", "fill_short", null, 0n],
			["pending", null, null, null],
		]);
	});
});

describe("a refund", () => {
	test("a refund came back on the chain and in the currency that the order allows", async () => {
		const one = await lab.deposited();
		lab.say(one, "refund", pay("origin", paying(AMOUNT - 10n, { by: DEPOSITORY })));
		await lab.pass(1_000);
		expect(await states(one)).toEqual([["refund", null, true, AMOUNT - 10n]]);
	});

	test.each([
		["of one unit", "origin", { raw: 1n }, "refund_short", 1n],
		["below what the order says", "origin", { minimum: AMOUNT + 1n }, "refund_short", AMOUNT],
		["of a spam token", "origin", { currency: SPAM }, "refund_short", 0n],
		["in the coin in place of a token", "origin", { currency: ZERO_ADDRESS }, "refund_short", 0n],
		["by a stranger", "origin", { by: STRANGER }, "refund_elsewhere", 0n],
		["to a stranger", "origin", { to: STRANGER }, "refund_elsewhere", 0n],
	] as const)("%s is in doubt, with an alarm", async (_, chain, given, code, raw) => {
		const { minimum: refundMinimum = 0n, ...more }: any = given;
		const one = await lab.deposited({ refundMinimum });
		lab.say(one, "refund", pay(chain, paying(more.raw ?? AMOUNT, more)));
		await lab.pass(1_000);
		expect(await states(one)).toEqual([["uncertain", code, null, raw]]);
		expect(lab.alarms).toEqual([code]);
	});

	test("a payment on a chain that the order does not name is no refund", async () => {
		const one = await lab.deposited();
		lab.say(one, "refund", pay("destination", paying(AMOUNT)));
		await lab.pass(1_000);
		expect(await states(one)).toEqual([["pending", null, null, null]]);
	});

	test("a refund belongs to one bridge, and is no fill of another", async () => {
		const [one, other] = [await lab.deposited(), await lab.deposited()];
		const hashes = pay("origin", paying(AMOUNT));
		lab.say(one, "refund", hashes);
		lab.say(other, "refund", hashes);
		await lab.pass(1_000);
		const found = await states(one, other);
		expect(found.map(([status]) => status).sort()).toEqual(["refund", "uncertain"]);
	});
});

describe("a chain that cannot be read", () => {
	test("an unreadable chain leaves the bridge open until it can be read, however long that takes", async () => {
		const one = await lab.deposited();
		lab.say(one, "success", pay("destination", paying(EXPECTED)));
		lab.chains.destination.isDown = true;
		for (let hour = 0; hour < 30; hour++) await lab.pass(3_600_000);
		expect((await lab.read(one)).status).toBe("timed_out");
		expect(lab.alarms).toEqual(["claim_unproven"]);
		lab.chains.destination.isDown = false;
		await lab.pass(86_400_000);
		expect(await states(one)).toEqual([["success", null, true, EXPECTED]]);
	});

	test("a bridge that only the provider's node can confirm ends unverified, and is verified later", async () => {
		const one = await lab.deposited();
		lab.reads.destination = "public";
		lab.say(one, "success", pay("destination", paying(EXPECTED)));
		await lab.pass(1_000);
		expect(await states(one)).toEqual([["success", null, false, EXPECTED]]);
		await lab.pass(3_600_000);
		expect(await states(one)).toEqual([["success", null, false, EXPECTED]]);
		lab.reads.destination = "own";
		await lab.pass(3_600_000);
		expect(await states(one)).toEqual([["success", null, true, EXPECTED]]);
	});

	test("a bridge whose public node lied is in doubt once a node of ours has looked", async () => {
		const one = await lab.deposited();
		lab.reads.destination = "public";
		const [real] = pay("destination", paying(EXPECTED));
		lab.say(one, "success", [real ?? "0x"]);
		await lab.pass(1_000);
		expect((await lab.read(one)).status).toBe("success");
		lab.chains.destination.reorg();
		lab.reads.destination = "own";
		await lab.pass(3_600_000);
		expect(await states(one)).toEqual([["uncertain", "arrival_unproven", null, null]]);
		expect(lab.alarms).toEqual(["arrival_unproven"]);
	});
});

describe("what is late", () => {
	const DAY = 86_400_000;
	/** Passes days, an hour at a time where looks are hourly. */
	const days = async (count: number) => {
		for (let day = 0; day < count; day++) await lab.pass(DAY);
	};
	const wake = (one: LieBridge) =>
		wakeBridge(database.db, { requestId: one.requestId, at: new Date(lab.clock.ms) });

	test("a late bridge is looked up hourly for a day, then daily for 60 days; then it says since when nobody looks", async () => {
		const one = await lab.deposited();
		lab.say(one, "pending");
		await lab.pass(3_600_000);
		await days(2);
		expect(await lab.read(one)).toMatchObject({ status: "timed_out", stoppedAt: null });
		await days(59);
		expect((await lab.read(one)).lookAt).not.toBeNull();
		await days(2);
		const stopped = await lab.read(one);
		expect([stopped.status, stopped.lookAt]).toEqual(["timed_out", null]);
		expect(stopped.stoppedAt).not.toBeNull();
		expect(lab.alarms).toEqual(["given_up"]);
		expect(whereIs(stopped)).toContain(
			`since ${stopped.stoppedAt?.toISOString().slice(0, 10)}: ask us to look`,
		);
	});

	test.each(["timed_out", "failure", "uncertain"])(
		"a bridge that was given up as %s is woken by a webhook, listed, and ends by what arrived",
		async (status) => {
			const one = await lab.deposited();
			await database.db.execute(
				"update bridge.bridge set status = $2, look_at = null, stopped_at = now() where id = $1",
				[one.id, status],
			);
			const listed = await listOpenBridges(database.db, 10);
			expect(listed.map(({ id }) => id)).toEqual([one.id]);
			expect(isWakeable(await lab.read(one))).toBe(true);
			lab.say(one, "success", pay("destination", paying(EXPECTED)));
			expect(await wake(one)).toBe(one.id);
			await lab.pass(0);
			expect(await states(one)).toEqual([["success", null, true, EXPECTED]]);
		},
	);

	test("a late bridge is listed before newer ones that are finished", async () => {
		const [old, done] = [await lab.deposited(), await lab.deposited()];
		lab.say(done, "success", pay("destination", paying(EXPECTED)));
		await lab.pass(1_000);
		const profileId = old.id;
		await database.db.execute("update bridge.bridge set profile_id = $1", [profileId]);
		const listed = await listUnfinishedFirst(database.db, { profileId, limit: 10 });
		expect(listed.map(({ id }) => id)).toEqual([old.id, done.id]);
	});

	test("late bridges are summed by currency with all unfinished ones, also over several pages", async () => {
		const [first] = [await lab.deposited()];
		for (let n = 1; n < 12; n++) await lab.deposited();
		await lab.deposited({ from: ZERO_ADDRESS });
		const [failed, done, unsent] = [
			await lab.deposited(),
			await lab.deposited(),
			await lab.deposited(),
		];
		const set = (sql: string, { id }: LieBridge) =>
			database.db.execute(`update bridge.bridge set ${sql} where id = $1`, [id]);
		await set("status = 'failure'", failed);
		await set("status = 'success'", done);
		await set("status = 'signature_required', deposited_at = null", unsent);
		const profileId = first.id;
		await database.db.execute("update bridge.bridge set profile_id = $1", [profileId]);
		expect(await sumUnfinished(database.db, profileId)).toEqual([
			{ chain: "one", symbol: "USDX", decimals: 6, count: 13, raw: 13n * AMOUNT },
			{ chain: "one", symbol: "ETH", decimals: 6, count: 1, raw: AMOUNT },
		]);
		expect(await sumUnfinished(database.db, failed.id)).toEqual([]);
	});

	test("a late bridge has a timeline with each word of the provider's, and who showed its end", async () => {
		const one = await lab.deposited();
		for (const word of ["waiting", "pending", "pending", "teleporting"]) {
			lab.say(one, word);
			await lab.pass(20_000);
		}
		const fill = pay("destination", paying(EXPECTED));
		lab.say(one, "success", fill);
		await lab.pass(60_000);
		const moves = await listMoves(database.db, one.id);
		expect(moves.map(({ event, providerStatus }) => [event, providerStatus])).toEqual([
			["word", "waiting"],
			["word", "pending"],
			["word", "teleporting"],
			["fill", "success"],
		]);
		expect(moves.at(-1)).toMatchObject({
			...{ from: "pending", to: "success", provenBy: "own_node" },
			...{ depositHash: one.depositHash, outHash: fill[0], outChainId: 2 },
		});
	});

	test("by the provider's own node alone is told as such, and again once a node of ours agrees", async () => {
		const one = await lab.deposited();
		lab.reads.destination = "public";
		lab.say(one, "success", pay("destination", paying(EXPECTED)));
		await lab.pass(60_000);
		lab.reads.destination = "own";
		await lab.pass(3_700_000);
		const moves = await listMoves(database.db, one.id);
		expect(moves.map(({ event, provenBy }) => [event, provenBy])).toEqual([
			["fill", "provider_node"],
			["verify", "own_node"],
		]);
	});

	test("of a provider that says something else each time grows by a hundred lines and no more", async () => {
		const one = await lab.deposited();
		for (let n = 0; n < 130; n++) {
			lab.say(one, `word ${n}`);
			await lab.wake(one);
			await lab.pass(1_000);
		}
		expect(await listMoves(database.db, one.id)).toHaveLength(100);
	});

	test("is woken by nothing where it is at its end, or a dry run that was never sent", async () => {
		const one = await lab.deposited();
		for (const [status, more] of [
			["success", "is_verified = true"],
			["refund", "is_verified = true"],
			["rejected", "deposited_at = null"],
			["disabled", "deposited_at = null"],
			["quoted", "deposited_at = null"],
		]) {
			await database.db.execute(
				`update bridge.bridge set status = $2, look_at = null, ${more} where id = $1`,
				[one.id, status ?? ""],
			);
			expect([status, await wake(one), isWakeable(await lab.read(one))]).toEqual([
				...[status, null, false],
			]);
		}
	});

	test("a late bridge that got too little ends by an operator's word, by what arrived and no more", async () => {
		const one = await lab.deposited();
		lab.say(one, "success", pay("destination", paying(7n)));
		await lab.pass(1_000);
		expect(whereIs(await lab.read(one))).toContain("0.000007 USDX of it arrived on two");
		await lab.accept(one);
		await lab.pass(60_000);
		expect(await states(one)).toEqual([["success", null, true, 7n]]);
	});

	test("an operator's word is about what was shown: more, less, or something else is refused", async () => {
		const one = await lab.deposited();
		lab.say(one, "success", pay("destination", paying(7n, { by: STRANGER })));
		await lab.pass(1_000);
		expect(lab.accept(one)).rejects.toMatchObject({ code: "arrival_changed" });
		lab.say(one, "success", pay("destination", paying(7n)));
		await lab.pass(60_000);
		for (const wrong of [
			...[{ amountRaw: 8n }, { amountRaw: 6n }, { currency: SPAM }],
			{ transactionHash: one.depositHash },
		]) {
			expect(lab.accept(one, wrong)).rejects.toMatchObject({ code: "arrival_changed" });
		}
		expect((await lab.read(one)).acceptedAt).toBeNull();
	});

	test("an operator's word stands for nothing that took the place of what was shown", async () => {
		const one = await lab.deposited();
		lab.say(one, "success", pay("destination", paying(700_000n)));
		await lab.pass(1_000);
		await lab.accept(one);
		lab.chains.destination.reorg();
		lab.say(one, "success", pay("destination", paying(1n)));
		await lab.pass(60_000);
		expect(await states(one)).toEqual([["uncertain", "fill_short", null, 1n]]);
		lab.say(one, "refund", pay("origin", paying(1n)));
		await lab.pass(60_000);
		expect(await states(one)).toEqual([["uncertain", "refund_short", null, 1n]]);
		lab.say(one, "success", pay("destination", paying(700_000n)));
		await lab.pass(600_000);
		expect(await states(one)).toEqual([["success", null, true, 700_000n]]);
	});
});

test("an arrival that is mined anew in another block ends its own bridge again, and no other", async () => {
	const [one, other] = [await lab.deposited(), await lab.deposited()];
	const fill = pay("destination", paying(EXPECTED));
	lab.say(one, "success", fill);
	await lab.pass(1_000);
	lab.chains.destination.remine(lab.nowS());
	lab.say(other, "success", fill);
	await lab.wake(other);
	await lab.pass(1_000);
	const done = ["success", null, true, EXPECTED];
	const doubt = ["uncertain", "fill_short", null, 0n];
	expect(await states(one, other)).toEqual([done, doubt]);
	for (const ms of [15_000, 5_000, 0]) await lab.pass(ms);
	await lab.pass(120_000);
	const ends = (await states(one, other)).map(([status]) => status).sort();
	expect(ends).toEqual(["success", "uncertain"]);
});

test("a webhook wakes a further deposit of its order, however long ago that was given up", async () => {
	const first = await lab.deposited();
	const second = await lab.again(first);
	await database.db.execute(
		"update bridge.bridge set status = 'timed_out', look_at = null, stopped_at = now()",
	);
	lab.say(first, "refund", pay("origin", paying(AMOUNT), paying(AMOUNT)));
	await lab.wake(first);
	await lab.pass(0);
	await lab.pass(3_600_000);
	const ends = await states(first, second);
	expect(ends.map(([status]) => status)).toEqual(["refund", "refund"]);
});

test("an end of several payments says all of them, and is lost with any of them", async () => {
	const one = await lab.deposited();
	const [first = "0x"] = pay("destination", paying(MINIMUM / 2n));
	const [second = "0x"] = pay("destination", paying(MINIMUM / 2n));
	lab.say(one, "success", [first, second]);
	await lab.pass(1_000);
	const { outHashes } = await lab.read(one);
	expect(new Set(outHashes)).toEqual(new Set([first, second]));
	const moves = await listMoves(database.db, one.id);
	expect(new Set(moves.at(-1)?.outHashes)).toEqual(new Set([first, second]));
	lab.chains.destination.reorg();
	await lab.pass(15_000);
	await lab.pass(5_000);
	expect(await states(one)).toEqual([["uncertain", "arrival_lost", false, null]]);
	expect((await lab.read(one)).outHashes).toBeNull();
});

test("an end of several payments by the provider's node is verified by all of them", async () => {
	const one = await lab.deposited();
	lab.reads.destination = "public";
	const halves = [0, 1].flatMap(() => pay("destination", paying(MINIMUM / 2n)));
	lab.say(one, "success", halves);
	await lab.pass(1_000);
	expect(await states(one)).toEqual([["success", null, false, MINIMUM]]);
	lab.reads.destination = "own";
	await lab.pass(3_600_000);
	expect(await states(one)).toEqual([["success", null, true, MINIMUM]]);
});

test("an arrival is watched until its chain has answered, however late that is", async () => {
	const one = await lab.deposited();
	lab.say(one, "success", pay("destination", paying(EXPECTED)));
	await lab.pass(1_000);
	lab.chains.destination.reorg();
	lab.chains.destination.isDown = true;
	await lab.pass(3_600_000);
	expect((await lab.read(one)).lookAt).not.toBeNull();
	lab.chains.destination.isDown = false;
	await lab.pass(3_600_000);
	await lab.pass(5_000);
	expect(await states(one)).toEqual([["uncertain", "arrival_lost", false, null]]);
});

test("an arrival that left its chain belongs to nobody, and can end its bridge again", async () => {
	const one = await lab.deposited();
	lab.say(one, "success", pay("destination", paying(EXPECTED)));
	await lab.pass(1_000);
	lab.chains.destination.reorg();
	await lab.pass(15_000);
	await lab.pass(5_000);
	expect(await states(one)).toEqual([["uncertain", "arrival_lost", false, null]]);
	expect(await database.db.query("select 1 from bridge.arrival")).toEqual([]);
	lab.say(one, "success", pay("destination", paying(EXPECTED)));
	await lab.pass(60_000);
	expect(await states(one)).toEqual([["success", null, true, EXPECTED]]);
});

test("an end that no node of ours could verify is not given up in silence", async () => {
	const one = await lab.deposited();
	lab.reads.destination = "public";
	lab.say(one, "success", pay("destination", paying(EXPECTED)));
	for (let day = 0; day < 63; day++) await lab.pass(86_400_000);
	const { lookAt, stoppedAt, isVerified } = await lab.read(one);
	expect([lookAt, stoppedAt !== null, isVerified]).toEqual([null, true, false]);
	expect(lab.alarms).toContain("given_up");
	expect((await listOpenBridges(database.db, 10)).map(({ id }) => id)).toEqual([one.id]);
});

describe("a deposit that was made once more", () => {
	/** The second deposit for a bridge's order, as a bridge of its own. */
	async function secondOf(first: LieBridge): Promise<LieBridge> {
		const bridge = await lab.read(first);
		const input: Hex = `0x49290c1c${first.orderId.slice(2)}`;
		const pays = [{ currency: TOKEN, from: USER, to: DEPOSITORY, raw: AMOUNT }];
		const sent = { from: USER, to: DEPOSITORY, input, pays };
		const [depositHash = "0x"] = lab.chains.origin.mine([sent], lab.nowS());
		const id = first.id.replace(/^0/, "f");
		const at = new Date(lab.clock.ms);
		const second = { id, bridge, quoteSeq: 1, depositHash, depositLog: 0, depositedAt: at, at };
		const insert = () => database.db.transaction((tx) => insertSecond(tx, second));
		expect([await insert(), await insert()]).toEqual([true, false]);
		return { ...first, id, depositHash };
	}
	const refunds = () => pay("origin", { ...paying(AMOUNT) });

	test("a repeated deposit leaves the first one's fill to the first, and gets its refund", async () => {
		const first = await lab.deposited();
		const second = await secondOf(first);
		const fill = pay("destination", paying(EXPECTED));
		lab.say(first, "success", fill);
		await lab.pass(1_000);
		await lab.pass(60_000);
		expect(await states(first, second)).toEqual([
			["success", null, true, EXPECTED],
			["pending", null, null, null],
		]);
		lab.say(first, "refund", [...fill, ...refunds()]);
		await lab.pass(60_000);
		expect((await states(second))[0]).toEqual(["refund", null, true, AMOUNT]);
		expect(lab.alarms).toEqual([]);
	});

	test("a repeated deposit gets its refund where the first one was given up", async () => {
		const first = await lab.deposited();
		const second = await secondOf(first);
		await database.db.execute(
			"update bridge.bridge set status = 'failure', look_at = null, stopped_at = $2 where id = $1",
			[first.id, new Date(lab.clock.ms)],
		);
		lab.say(first, "refund", refunds());
		await lab.pass(60_000);
		expect((await states(second))[0]).toEqual(["refund", null, true, AMOUNT]);
	});

	test("a repeated deposit waits while the first one is open, whatever is claimed", async () => {
		const first = await lab.deposited();
		const second = await secondOf(first);
		await database.db.execute("update bridge.bridge set look_at = null where id = $1", [first.id]);
		lab.say(first, "refund", refunds());
		await lab.pass(60_000);
		expect(await states(second)).toEqual([["pending", null, null, null]]);
	});

	test("a repeated deposit is paid by nobody who was first seen after its block, however late it is found", async () => {
		await database.db.execute("delete from bridge.pin where role = 'solver'");
		const first = await lab.deposited();
		await database.db.execute("update bridge.bridge set look_at = null, stopped_at = now()");
		const pin = { chainId: 1, address: SOLVER, by: "first" } as const;
		lab.clock.ms += 60_000;
		const again = lab.again(first, 600_000);
		lab.clock.ms += 1_000;
		await lab.pin(pin);
		const second = await again;
		lab.say(first, "refund", refunds());
		await lab.pass(60_000);
		expect((await states(second))[0]?.[0]).toBe("pending");
		await lab.pin({ ...pin, by: "operator" });
		await lab.pass(60_000);
		expect((await states(second))[0]).toEqual(["refund", null, true, AMOUNT]);
	});

	test("a repeated deposit that nobody ends is called timed out, and is looked for like any other", async () => {
		const first = await lab.deposited();
		const second = await secondOf(first);
		lab.say(first, "success", pay("destination", paying(EXPECTED)));
		await lab.pass(1_000);
		await lab.pass(3_700_000);
		const bridge = await lab.read(second);
		expect<unknown[]>([bridge.status, bridge.lookAt !== null, isWakeable(bridge)]).toEqual([
			...["timed_out", true, true],
		]);
		expect(whereIs(bridge)).toContain("deposited once more on one");
	});
});
