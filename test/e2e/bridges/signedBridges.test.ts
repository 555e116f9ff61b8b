import { afterAll, beforeAll, beforeEach, describe, expect, test } from "bun:test";
import { encodeFunctionData, type Hex } from "viem";
import { type BridgeLab, openBridgeLab, SIGNED_DOLLAR } from "#test/harness/openBridgeLab.ts";
import { until } from "#test/harness/until.ts";
import { PERMIT_LIE_KINDS } from "#test/sandbox/bridge/BridgeFault.ts";
import { dollarAbi } from "#test/sandbox/bridge/BridgeWorld.ts";

// Guarantee: where an owner signs in place of depositing, what they sign is checked member by
// member, is handed to the provider once, and the chain says what came of it.

const PATH = "/v1/bridges/intents";
const ROUTE = { currency: "PUSD", from: "robinhood", to: "anvil", as: "ETH" };
const PERMITS = "^POST /execute/permits";
const RAW = 5_000_000n;

let lab: BridgeLab;
let wallet: { id: string; address: Hex };
let gone: string | null = null;
let isGone = false;

beforeAll(async () => {
	lab = await openBridgeLab({
		async observeSteps(step, edge) {
			if (gone === `${step}:${edge}`) isGone = true;
			if (isGone) throw new Error("the process is gone");
		},
	});
	wallet = await lab.enrol();
	const args = [wallet.address, 10_000_000_000n] as const;
	const data = encodeFunctionData({ abi: dollarAbi, functionName: "mint", args });
	const [from] = await lab.home.rpc<string[]>("eth_accounts");
	await lab.home.rpc("eth_sendTransaction", [{ from, to: SIGNED_DOLLAR, data }]);
	await lab.home.mined();
});
afterAll(() => lab?.stop());
beforeEach(() => {
	lab.bridge.clearFaults();
	lab.custody.clearFaults();
});

const bridge = async (more: object = {}) =>
	(await lab.ask(PATH, { amount: "5", ...ROUTE, ...more })).body;
const entryOf = (requestId: string) =>
	lab.bridge.ledger().find((one) => one.requestId === requestId);
const held = async () => {
	const args = [wallet.address] as const;
	const data = encodeFunctionData({ abi: dollarAbi, functionName: "balanceOf", args });
	return BigInt(await lab.home.rpc<string>("eth_call", [{ to: SIGNED_DOLLAR, data }, "latest"]));
};
const nonce = async () =>
	Number(await lab.home.rpc<string>("eth_getTransactionCount", [wallet.address, "latest"]));
const handed = () => lab.bridge.ledger().flatMap(({ permit }) => permit?.handed ?? []);
const db = () => lab.service.core.db;

/** What is asked of the provider once more is asked at once. */
const wake = () =>
	db().execute(
		"update bridge.bridge set look_at = least(look_at, now()) where look_at is not null",
	);

test("[BRG-06] a signature takes the place of allowance and deposit, and no transaction is sent", async () => {
	const before = { held: await held(), nonce: await nonce() };
	const started = await bridge();
	expect(started).toMatchObject({
		...{ errorCode: null, depositHash: null },
		steps: [{ kind: "authorize", to: SIGNED_DOLLAR, status: "confirmed", transactionHash: null }],
	});
	const done = await lab.reached(started.id, ["success", "failure", "rejected"]);
	const entry = entryOf(done.quote.requestId);
	expect(done).toMatchObject({
		...{ status: "success", errorCode: null, depositHash: entry?.deposits[0]?.hash },
		arrived: { verified: true, chainId: 31_337, transactionHash: entry?.fill?.hash },
	});
	expect(entry?.permit?.handed).toEqual(["eip3009"]);
	expect([before.held - (await held()), (await nonce()) - before.nonce]).toEqual([RAW, 0]);
	// Counted once, when it was signed: as the provider says, as the token has no feed.
	const entries = await db().query(
		"select kind, amount_raw::text as raw, usd_micros as micros from wallets.spend_entry where intent_id = $1 order by id",
		[started.intentId],
	);
	const micros = 5_000_000;
	expect(entries).toEqual([
		{ kind: "reserve", raw: String(RAW), micros },
		{ kind: "spend", raw: String(RAW), micros },
	]);
});

test("[BRG-06] the provider asks for the order to be signed as well, and gets that too", async () => {
	lab.bridge.fault({ kind: "appends_order", times: 1 });
	const started = await bridge();
	const done = await lab.reached(started.id, ["success", "failure", "rejected"]);
	expect(done.status).toBe("success");
	expect(done.steps.map((step: any) => [step.kind, step.status])).toEqual([
		["authorize", "confirmed"],
		["authorize", "confirmed"],
	]);
	expect(entryOf(done.quote.requestId)?.permit?.handed).toEqual(["eip3009", "order"]);
});

describe("a quote whose signature lies", () => {
	for (const kind of PERMIT_LIE_KINDS) {
		test(`about "${kind}" is refused before anything is signed`, async () => {
			lab.bridge.fault({ kind, times: 1 });
			const before = handed().length;
			const { status, errorCode, intentId } = await bridge();
			const code =
				{
					permit_for_anybody: "signature_steps_unsupported",
					permit_endpoint: "signature_steps_unsupported",
					permit_ended: "quote_expired",
				}[kind as string] ?? "quote_mismatch";
			expect({ kind, status, errorCode, intentId }).toEqual({
				...{ kind, status: "rejected", errorCode: code, intentId: null },
			});
			expect(handed()).toHaveLength(before);
		});
	}

	test("a quote with the nonce of another bridge is refused", async () => {
		let nonce: string | null = null;
		lab.bridge.spoilQuotes((quote) => {
			const { value } = quote.steps[0].items[0].data.sign;
			nonce ??= value.nonce;
			value.nonce = nonce;
			return quote;
		});
		await bridge();
		const { status, errorCode } = await bridge();
		lab.bridge.spoilQuotes(null);
		expect({ status, errorCode }).toEqual({ status: "rejected", errorCode: "quote_mismatch" });
	});

	test("a quote with a false name of the token is refused", async () => {
		lab.bridge.spoilQuotes((quote) => {
			quote.steps[0].items[0].data.sign.domain.name = "Another Dollar";
			return quote;
		});
		const { status, errorCode } = await bridge();
		lab.bridge.spoilQuotes(null);
		expect({ status, errorCode }).toEqual({ status: "rejected", errorCode: "quote_mismatch" });
	});
});

test.each(["appends_text", "appends_deposit"] as const)(
	"a later step that nobody agreed to (%s) is not done, and the chain is asked",
	async (kind) => {
		lab.bridge.fault({ kind, times: 1 });
		const before = { held: await held(), nonce: await nonce() };
		const done = await lab.reached((await bridge()).id, ["uncertain", "success"]);
		expect(done).toMatchObject({ status: "uncertain", errorCode: "step_unknown" });
		expect(entryOf(done.quote.requestId)?.permit?.handed).toEqual(["eip3009"]);
		expect([await held(), await nonce()]).toEqual([before.held, before.nonce]);
	},
);

test("an intent is looked up, and not handed over again, after an unreadable answer", async () => {
	lab.bridge.fault({ kind: "truncated", path: PERMITS, times: 1 });
	const done = await lab.reached((await bridge()).id, ["success", "failure", "rejected"]);
	expect(done.status).toBe("success");
	expect(entryOf(done.quote.requestId)?.permit?.handed).toEqual(["eip3009"]);
});

test("a token that is moved by signatures is deposited where its owner signs by themselves", async () => {
	await db().execute("update wallets.wallet set capability = 'embedded/manual' where id = $1", [
		wallet.id,
	]);
	try {
		const asked = await bridge();
		expect(asked).toMatchObject({ status: "signature_required", errorCode: null });
		expect(asked.steps.map((step: any) => step.kind)).toEqual(["approve", "deposit"]);
		// A route that has a signature all the same is refused for them.
		lab.bridge.fault({ kind: "signature_step", times: 1 });
		expect(await bridge()).toMatchObject({
			...{ status: "rejected", errorCode: "signature_steps_unsupported" },
		});
	} finally {
		await db().execute(
			"update wallets.wallet set capability = 'embedded/delegated' where id = $1",
			[wallet.id],
		);
	}
});

test("an amount above the wallet's balance is not signed", async () => {
	const before = handed().length;
	expect(await bridge({ amount: "100000" })).toMatchObject({ status: "rejected" });
	expect(handed()).toHaveLength(before);
});

test("an operator who ends it before it was handed over keeps the signature here", async () => {
	// Nothing is signed before the operator has ended it: what is not signed is not handed over.
	lab.custody.fault({ path: "^POST /v1/wallets/", kind: "status", when: "before" });
	const before = await held();
	const { id } = await bridge();
	await lab.ask(`/v1/admin/bridges/${id}/disable`, {}, { admin: true });
	lab.custody.clearFaults();
	const done = await lab.reached(id, ["disabled", "rejected", "success"]);
	expect(done.status).not.toBe("success");
	expect(entryOf(done.quote.requestId)?.permit?.handed).toEqual([]);
	expect(await held()).toBe(before);
});

test("its owner calls it off before it signs, and not once it was handed over", async () => {
	await lab.ask("/v1/trading/profile", { requireTradeConfirmation: true });
	const waiting = await bridge();
	await lab.ask("/v1/trading/profile", { requireTradeConfirmation: false });
	expect(waiting.status).toBe("confirmation_required");
	const called = await lab.ask(`${PATH}/${waiting.id}/cancel`, {});
	expect(called.body).toMatchObject({ status: "rejected", errorCode: "cancelled" });
	expect(entryOf(waiting.quote.requestId)?.permit?.handed).toEqual([]);
	const { id } = await bridge();
	const late = await lab.ask(`${PATH}/${id}/cancel`, {});
	expect(late).toMatchObject({ status: 409, body: { code: "bridge_state" } });
	await lab.reached(id, ["success"]);
});

test("a signature of a bridge that was called off a moment ago is not handed over", async () => {
	const before = await held();
	gone = "bridge.hand_over:before";
	const asked = bridge().catch(() => null);
	await until(() => isGone, "it comes by there");
	await asked;
	const [newest] = await db().query<{ id: string; requestId: string }>(
		`update bridge.bridge as b set status = 'rejected', error_code = 'cancelled', look_at = now()
		from bridge.quote as q where q.bridge_id = b.id
			and b.id = (select max(id::text)::uuid from bridge.bridge)
		returning b.id, '0x' || encode(q.request_id, 'hex') as "requestId"`,
	);
	gone = null;
	isGone = false;
	for (let look = 0; look < 3; look++) await lab.look(newest?.id ?? "");
	expect(entryOf(newest?.requestId ?? "")?.permit?.handed).toEqual([]);
	expect(await held()).toBe(before);
});

/** Between signing and an answer: one that dies there could hand over twice, or never. */
const FIRST = ["commit.sign:after", "bridge.hand_over:before", "bridge.permit:after"];
const ALL = [
	...["bridge.token:before", "bridge.token:after", "commit.decide:before", "commit.decide:after"],
	...["custody.sign:before", "custody.sign:after", "commit.sign:before"],
	...["bridge.handed:before", "bridge.handed:after"],
];
test.each(process.env["PROVE"] === "1" ? [...FIRST, ...ALL] : FIRST)(
	"a process that ends at %s hands one signature over, and takes the money once",
	async (edge) => {
		const before = { held: await held(), bridges: lab.bridge.ledger().length };
		gone = edge;
		const asked = bridge().catch(() => null);
		await until(() => isGone, `it comes by ${edge}`);
		await asked;
		gone = null;
		isGone = false;
		const [newest] = await db().query<{ id: string }>(
			"select id from bridge.bridge order by id desc limit 1",
		);
		await wake();
		const done = await lab.reached(newest?.id ?? "", ["success", "rejected", "failure"]);
		expect([edge, done.status, done.errorCode]).toEqual([edge, "success", null]);
		const entries = lab.bridge.ledger().slice(before.bridges);
		expect(entries.flatMap(({ permit }) => permit?.handed ?? [])).toEqual(["eip3009"]);
		expect(before.held - (await held())).toBe(RAW);
	},
);

describe("what the provider never uses", () => {
	/** The chain's own time: what was signed ends by it. */
	const later = async () => {
		await lab.home.rpc("evm_increaseTime", [600]);
		await lab.home.rpc("evm_mine", []);
	};

	test.each([
		["after a refusal", "refused", "hand_over_refused"],
		["by a process that died before it was handed over", "gone", "authorization_expired"],
	] as const)("%s is in the wallet once its time is over on chain", async (_, how, code) => {
		const before = await held();
		if (how === "refused") {
			lab.bridge.fault({ kind: "status", status: 400, path: PERMITS, times: 1 });
		} else {
			gone = "bridge.permit:before";
		}
		const asked = bridge().catch(() => null);
		if (how === "gone") await until(() => isGone, "it comes by there");
		await asked;
		gone = null;
		isGone = false;
		const [newest] = await db().query<{ id: string }>(
			"select id from bridge.bridge order by id desc limit 1",
		);
		const id = newest?.id ?? "";
		// Until then nobody says that it failed.
		if (how === "refused") await lab.reached(id, ["uncertain"]);
		await later();
		await wake();
		const done = await lab.reached(id, ["failure", "success"]);
		expect([done.status, done.errorCode, done.revocable]).toEqual(["failure", code, false]);
		expect(entryOf(done.quote.requestId)?.permit?.handed).toEqual([]);
		expect(await held()).toBe(before);
	});
});
