import { afterAll, beforeAll, beforeEach, describe, expect, test } from "bun:test";
import type { StepObserver } from "#core/steps.ts";
import type { Intent } from "#plugins/wallets/model.ts";
import { CHAIN_ID, type Lab, openExecutionLab } from "#plugins/wallets/testing/executionLab.ts";
import type { Person } from "#plugins/wallets/testing/insertPerson.ts";
import { payKind } from "#plugins/wallets/testing/payKind.ts";
import { createTestDatabase, type TestDatabase } from "#test/harness/testDatabase.ts";

// Guarantee: a batch is decided on by what stands when it is reserved, in whatever process.

let database: TestDatabase;
let lab: Lab;
/** What others do between the plan and the decision on it. */
let meanwhile: () => Promise<unknown>;
beforeAll(async () => {
	database = await createTestDatabase();
});
afterAll(() => database?.drop());
beforeEach(async () => {
	await database.db.execute("truncate wallets.profile, wallets.control cascade");
	meanwhile = async () => {};
	const observe: StepObserver = async (step, edge) => {
		if (step === "commit.decide" && edge === "before") await meanwhile();
	};
	lab = openExecutionLab(database.db, { observe });
});

async function expectNothingSent(ids: readonly string[]): Promise<void> {
	expect(lab.handed).toHaveLength(0);
	for (const id of ids) expect(await lab.ledger(id)).toEqual({});
	expect(await lab.db.query("select 1 from wallets.submission")).toEqual([]);
}

for (const capability of ["disabled", "review-required"] as const) {
	for (const when of ["from the first", "since it was planned"] as const) {
		test(`[TRD-09] a wallet that is ${capability} ${when} neither sends nor is asked to sign`, async () => {
			const isFirst = when === "from the first";
			const by = await lab.person(isFirst ? { capability } : {});
			if (!isFirst) {
				meanwhile = () => lab.db.execute("update wallets.wallet set capability = $1", [capability]);
			}
			const [intent] = await lab.pay(by);
			expect(intent).toMatchObject({ status: "rejected", errorCode: "no_executable_wallet" });
			await expectNothingSent([intent?.id ?? ""]);
		});
	}
}

test("[TRD-09] the owner of an embedded wallet that is not delegated is asked to sign", async () => {
	const [intent] = await lab.pay(await lab.person({ capability: "embedded/manual" }));
	expect(intent?.status).toBe("signature_required");
	await expectNothingSent([intent?.id ?? ""]);
});

test("[TRD-09] a wallet that was unlinked since the plan sends nothing", async () => {
	meanwhile = () => lab.db.execute("update wallets.wallet set removed_at = now()");
	const [intent] = await lab.pay(await lab.person());
	expect(intent).toMatchObject({ status: "rejected", errorCode: "no_executable_wallet" });
	await expectNothingSent([intent?.id ?? ""]);
});

test("[TRD-09] a wallet that was unlinked before, or whose chain is not configured, sends nothing", async () => {
	const by = await lab.person();
	const [first] = await lab.pay(by, { stays: true });
	const { rpcOf } = lab.deps;
	lab.deps.rpcOf = () => null;
	const [away] = await lab.execution.advance([first?.id ?? ""], lab.signal);
	expect(away).toMatchObject({ status: "rejected", errorCode: "chain_unavailable" });
	lab.deps.rpcOf = rpcOf;
	const [second] = await lab.pay(by, { stays: true });
	await lab.db.execute("update wallets.wallet set removed_at = now()");
	const [gone] = await lab.execution.advance([second?.id ?? ""], lab.signal);
	expect(gone).toMatchObject({ status: "rejected", errorCode: "no_executable_wallet" });
	await expectNothingSent([first?.id ?? "", second?.id ?? ""]);
});

for (const scope of ["all", "chain", "plugin", "wallet"] as const) {
	test(`[TRD-09] a kill switch for its ${scope} stops an intent until its spend is reserved`, async () => {
		const by = await lab.person();
		const named = { all: "", chain: ":31337", plugin: ":lab", wallet: `:${by.wallet.id}` };
		meanwhile = () =>
			lab.db.execute("insert into wallets.control values ($1, 'true', 'operator', now())", [
				`kill:${scope}${named[scope]}`,
			]);
		const batch = await lab.pay(by, { times: 2, ether: "0.1" });
		expect(batch.map(({ errorCode }) => errorCode)).toEqual(Array(2).fill("trading_disabled"));
		await expectNothingSent(batch.map(({ id }) => id));
	});
}

test("[NFT-01] an intent whose plugin was removed since the plan is denied", async () => {
	const { kindOf } = lab.deps;
	meanwhile = async () => {
		lab.deps.kindOf = () => null;
	};
	const [intent] = await lab.pay(await lab.person());
	expect(intent).toMatchObject({ status: "rejected", errorCode: "disabled" });
	await expectNothingSent([intent?.id ?? ""]);
	lab.deps.kindOf = kindOf;
});

test("[NFT-01] a kind of intent may deny a payment that all limits allow", async () => {
	const kind = payKind({ clock: lab.clock, script: lab.state });
	lab.execution.register({ ...kind, deny: () => ({ code: "not_today", detail: "No." }) });
	const [intent] = await lab.pay(await lab.person());
	expect(intent).toMatchObject({ status: "rejected", errorCode: "not_today" });
	await expectNothingSent([intent?.id ?? ""]);
});

describe("a batch", () => {
	test("[TRF-03] a batch is not sent if one of its intents was cancelled since the plan", async () => {
		const by = await lab.person();
		const made = await lab.pay(by, { times: 3, ether: "0.1", stays: true });
		const ids = made.map(({ id }) => id);
		meanwhile = () =>
			lab.execution.cancel(ids[1] ?? "", {
				actor: "profile:lab",
				signal: AbortSignal.timeout(60_000),
			});
		await lab.execution.advance(ids, lab.signal);
		const statuses = await Promise.all(ids.map(async (id) => (await lab.intent(id)).status));
		expect(statuses).toEqual(["created", "rejected", "created"]);
		await expectNothingSent(ids);
		// Nor is what is left of it sent as if it were the whole.
		meanwhile = async () => {};
		await lab.execution.advance(ids, lab.signal);
		await expectNothingSent(ids);
	});

	test("[TRF-03] a batch expires as a whole if one of its intents expired", async () => {
		const by = await lab.person();
		const made = await lab.pay(by, { times: 3, ether: "0.1", stays: true });
		const ids = made.map(({ id }) => id);
		await lab.db.execute("update wallets.intent set expires_at = $2 where id = $1", [
			ids[2] ?? "",
			new Date(lab.clock.ms),
		]);
		await lab.execution.advance(ids, lab.signal);
		const statuses = await Promise.all(ids.map(async (id) => (await lab.intent(id)).status));
		expect(statuses).toEqual(["expired", "expired", "expired"]);
		await expectNothingSent(ids);
	});

	test("[TRF-03] a batch is not sent while gas is too expensive for one of it, and its plans are kept", async () => {
		const by = await lab.person();
		lab.chain.state.tipRaw = 10_000n;
		const { settle } = lab.chain.rpc;
		lab.chain.rpc.settle = async (calls, options) => {
			const outcomes = await settle(calls, options);
			// The last of them takes more gas than anybody would pay for.
			const gas = { kind: "result", result: `0x${(10n ** 14n).toString(16)}` } as const;
			return calls.at(-1)?.method === "eth_estimateGas"
				? [...outcomes.slice(0, -1), gas]
				: outcomes;
		};
		const batch = await lab.pay(by, { times: 3, ether: "0.1" });
		expect(batch.map(({ errorCode }) => errorCode)).toEqual(Array(3).fill("network_fee_limit"));
		expect(batch.every(({ plan }) => plan !== null)).toBe(true);
		await expectNothingSent(batch.map(({ id }) => id));
	});

	test("[NFT-01] the sum of a batch counts against the day's limit, together with earlier spend", async () => {
		const by = await lab.person({ dailyUsdMax: 1_500_000_000n });
		const fits = await lab.pay(by, { times: 3, ether: "0.2" });
		expect(fits.map(({ status }) => status)).toEqual(Array(3).fill("submitted"));
		const over = await lab.pay(by, { times: 2, ether: "0.1" });
		expect(over.map(({ errorCode }) => errorCode)).toEqual(Array(2).fill("daily_limit"));
		const rows = await lab.db.query<{ usd: number }>(
			"select usd_micros::int8 as usd from wallets.spend_entry where kind = 'reserve'",
		);
		expect(rows.map(({ usd }) => usd)).toEqual(Array(3).fill(400_000_000));
	});
});

/** A batch of which each pays another sum to another. */
async function payEach(by: Person, sums: readonly bigint[]): Promise<Intent[]> {
	const { profile, wallet } = by;
	const batchId = Bun.randomUUIDv7();
	const made = await lab.db.transaction((tx) =>
		lab.execution.create(
			tx,
			sums.map((sum, place) => {
				const to = `0x${String(place + 1).repeat(40)}`;
				const request = { valueRaw: String(sum * 10n ** 15n), data: "0x", to };
				const about = { kind: "pay", channel: "api", chainId: CHAIN_ID } as const;
				return { ...about, profile, wallet, batchId, request };
			}),
		),
	);
	const ids = made.map(({ id }) => id);
	return lab.execution.advance(ids, lab.signal);
}

test("[TRF-03] each transfer of a batch is reserved and decided by its own amount and recipient", async () => {
	const asked: (number | null)[] = [];
	const kind = payKind({ clock: lab.clock, script: lab.state });
	lab.execution.register({
		...kind,
		deny: ({ recipientKnownForMs }) => (asked.push(recipientKnownForMs), null),
	});
	const by = await lab.person();
	await payEach(by, [100n]);
	lab.clock.ms += 60_000;
	const batch = await payEach(by, [100n, 200n, 300n]);
	const ledgers = await Promise.all(batch.map(({ id }) => lab.ledger(id)));
	expect(ledgers).toEqual([200, 400, 600].map((usd) => ({ reserve: usd * 1_000_000 })));
	// The first of them was paid a minute ago, the others never.
	expect(asked).toEqual([0, 60_000, 0, 0]);
});

describe("a confirmed plan", () => {
	const planning = (data: "0x01" | "0x02", keeps?: () => boolean) => {
		const kind = payKind({ clock: lab.clock, script: lab.state });
		lab.execution.register({
			...kind,
			...(keeps ? { keeps } : {}),
			async prepare(intent, context) {
				const prepared = await kind.prepare(intent, context);
				if (prepared.kind !== "plan") return prepared;
				return { kind: "plan", plan: { ...prepared.plan, data } };
			},
		});
	};
	async function confirmed(): Promise<string> {
		planning("0x01");
		const [asked] = await lab.pay(await lab.person({ requireTradeConfirmation: true }));
		const id = asked?.id ?? "";
		await lab.execution.approve(id, asked?.planHash ?? "0x");
		return id;
	}

	for (const [what, keeps] of [
		["without a word of its kind", undefined],
		["of which its kind says so", () => false],
	] as const) {
		test(`[TRF-02] an owner who confirmed one plan is asked again about another, ${what}`, async () => {
			const id = await confirmed();
			planning("0x02", keeps);
			const [again] = await lab.execution.advance([id], lab.signal);
			expect(again).toMatchObject({ status: "confirmation_required", plan: { data: "0x02" } });
			await expectNothingSent([id]);
		});
	}

	test("[TRF-02] an owner is asked again about a whole batch if one of its plans changed", async () => {
		planning("0x01");
		const by = await lab.person({ requireTradeConfirmation: true });
		const asked = await lab.pay(by, { times: 2, ether: "0.1" });
		const ids = asked.map(({ id }) => id);
		for (const { id, planHash } of asked) await lab.execution.approve(id, planHash ?? "0x");
		// Its kind holds on to the first of them alone.
		let kept = 0;
		planning("0x02", () => ++kept === 1);
		const again = await lab.execution.advance(ids, lab.signal);
		expect(again.map(({ status }) => status)).toEqual(Array(2).fill("confirmation_required"));
		await expectNothingSent(ids);
	});

	test("[TRF-02] an owner is not asked again if the kind accepts the new plan as the confirmed one", async () => {
		const id = await confirmed();
		planning("0x02", () => true);
		const [sent] = await lab.execution.advance([id], lab.signal);
		expect(sent?.status).toBe("submitted");
		expect(lab.handed.map(({ transaction }) => transaction.data)).toEqual(["0x02"]);
	});

	test("[TRF-02] a confirmation that comes too late has no effect", async () => {
		planning("0x01");
		const [asked] = await lab.pay(await lab.person({ requireTradeConfirmation: true }));
		lab.clock.ms = asked?.expiresAtMs ?? 0;
		const late = lab.execution.approve(asked?.id ?? "", asked?.planHash ?? "0x");
		expect(await late.catch((fault) => fault.code)).toBe("intent_state");
		expect((await lab.intent(asked?.id ?? "")).status).toBe("confirmation_required");
	});
});

test("an intent is read by its owner, and not found for anybody else", async () => {
	const [by, stranger] = [await lab.person(), await lab.person()];
	const [intent] = await lab.pay(by);
	const id = intent?.id ?? "";
	expect((await lab.execution.read(id, by.profile.id))?.id).toBe(id);
	expect(await lab.execution.read(id, stranger.profile.id)).toBeNull();
	expect(await lab.execution.read(crypto.randomUUID(), by.profile.id)).toBeNull();
});

test("[TRD-09] a payment of a wallet without the provider's id is not handed over", async () => {
	const by = await lab.person();
	await lab.db.execute("update wallets.wallet set provider_wallet_id = null");
	const [intent] = await lab.pay(by);
	expect(intent).toMatchObject({ status: "rejected", errorCode: "no_executable_wallet" });
	expect(lab.handed).toHaveLength(0);
});

test("[TRD-08] a hash that its owner reports twice is recorded once", async () => {
	const [asked] = await lab.pay(await lab.person({ capability: "external/manual" }));
	const hash = `0x${"ab".repeat(32)}` as const;
	for (let time = 0; time < 2; time++) {
		const told = await lab.execution.signed(asked?.id ?? "", hash);
		expect(told).toMatchObject({ status: "submitted", transactionHash: hash });
	}
	const moves = await lab.moves(asked?.id ?? "");
	expect(moves).toEqual(["ask_signature", "sent"]);
});

test("[TRD-08] a hash that a stranger, or somebody on another chain, reported stays free for its owner", async () => {
	const external = { capability: "external/manual" } as const;
	const [by, stranger] = [await lab.person(external), await lab.person(external)];
	const hash = `0x${"ab".repeat(32)}` as const;
	const [theirs] = await lab.pay(stranger);
	await lab.execution.signed(theirs?.id ?? "", hash);
	const [first] = await lab.pay(by);
	expect((await lab.execution.signed(first?.id ?? "", hash)).status).toBe("submitted");
	const [second] = await lab.pay(by);
	const twice = lab.execution.signed(second?.id ?? "", hash);
	expect(await twice.catch((fault) => fault.code)).toBe("transaction_other");
	await lab.db.execute("update wallets.submission set chain_id = 1");
	expect((await lab.execution.signed(second?.id ?? "", hash)).status).toBe("submitted");
});

test("[NFT-01] a day's limit counts reservations of the last 24 hours, to the millisecond", async () => {
	const DAY_MS = 86_400_000;
	const by = await lab.person({ dailyUsdMax: 1_500_000_000n });
	const [first] = await lab.pay(by);
	expect(first?.status).toBe("submitted");
	lab.clock.ms += DAY_MS;
	const [within] = await lab.pay(by);
	expect(within).toMatchObject({ status: "rejected", errorCode: "daily_limit" });
	lab.clock.ms += 1;
	const [after] = await lab.pay(by);
	expect(after?.status).toBe("submitted");
});

describe("several processes", () => {
	test("[NFT-01] in several processes only one payment is sent if it uses the whole limit", async () => {
		const by = await lab.person({ dailyUsdMax: 1_500_000_000n });
		const labs = Array.from({ length: 4 }, () => openExecutionLab(database.db));
		const made = await Promise.all(labs.map((one) => one.pay(by, { stays: true })));
		const ids = made.map(([intent]) => intent?.id ?? "");
		await Promise.all(
			labs.map((one, place) => one.execution.advance([ids[place] ?? ""], one.signal)),
		);
		const codes = await Promise.all(ids.map(async (id) => (await lab.intent(id)).errorCode));
		expect(codes.filter((code) => code === "daily_limit")).toHaveLength(3);
		expect(labs.flatMap(({ handed }) => handed)).toHaveLength(1);
	});

	test("[TRD-08] several processes that continue the same intents hand each over once", async () => {
		const by = await lab.person();
		const labs = Array.from({ length: 4 }, () => openExecutionLab(database.db));
		const made = await lab.pay(by, { times: 2, ether: "0.1", stays: true });
		const ids = made.map(({ id }) => id);
		await Promise.all(labs.map((one) => one.execution.advance(ids, one.signal)));
		const nonces = labs.flatMap(({ handed }) => handed.map(({ transaction }) => transaction.nonce));
		expect(nonces.sort()).toEqual([0, 1]);
		for (const id of ids) expect(await lab.ledger(id)).toEqual({ reserve: 200_000_000 });
	});

	test("[TRF-02] an owner's cancellation during the decision ends it unsent, or by its nonce", async () => {
		const by = await lab.person();
		for (let round = 0; round < 4; round++) {
			const [made] = await lab.pay(by, { ether: "0.01", stays: true });
			const id = made?.id ?? "";
			const other = openExecutionLab(database.db);
			const before = lab.handed.length;
			await Promise.allSettled([
				lab.execution.advance([id], lab.signal),
				other.execution.cancel(id, { actor: "profile:lab", signal: AbortSignal.timeout(60_000) }),
			]);
			const { status } = await lab.intent(id);
			const payments = lab.handed.length - before;
			expect([status, payments]).toEqual(status === "submitted" ? [status, 1] : ["rejected", 0]);
			// Where it came too late, a transaction of nothing took the payment's nonce.
			const nonces = [...lab.handed.slice(before), ...other.handed].map(
				({ transaction }) => transaction.nonce,
			);
			expect(new Set(nonces).size).toBeLessThanOrEqual(1);
		}
	});
});
