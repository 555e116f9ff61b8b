import { afterAll, beforeAll, beforeEach, describe, expect, test } from "bun:test";
import { concat, encodeFunctionData, formatUnits, type Hex, keccak256, pad } from "viem";
import { runCommand } from "#api/cli/runCommand.ts";
import { type BridgeLab, openBridgeLab, TETHER, USDG } from "#test/harness/openBridgeLab.ts";
import { until } from "#test/harness/until.ts";
import { dollarAbi } from "#test/sandbox/bridge/BridgeWorld.ts";

// Guarantee: what is typed is what is bridged, what is ambiguous is looked up and never sent again,
// and operators can look, hold back and go on.

const PATH = "/v1/bridges/intents";
const SEND = "^POST /v1/wallets/";
const COMMAND = "bridge 0.1 eth from anvil to robinhood as USDG";
const ALICE = "0x00000000000000000000000000000000000a11ce";
const ETHER = 10n ** 18n;
const BOB = "0x00000000000000000000000000000000000b0b0b";

// What everything here spends is far above what posts may spend in a day.
const ENV = { WALLET_PROVIDER_TIMEOUT_MS: "2000", TRADING_SOCIAL_USD_MAX: "20000" };

let lab: BridgeLab;
let wallet: { id: string; address: Hex };

beforeAll(async () => {
	lab = await openBridgeLab({ env: ENV });
	wallet = await lab.enrol();
	const args = [wallet.address, 1_000_000_000n] as const;
	const data = encodeFunctionData({ abi: dollarAbi, functionName: "mint", args });
	const [from] = await lab.home.rpc<string[]>("eth_accounts");
	await lab.home.rpc("eth_sendTransaction", [{ from, to: USDG, data }]);
	await lab.home.mined();
});
afterAll(() => lab?.stop());
beforeEach(() => {
	lab.bridge.clearFaults();
	lab.custody.clearFaults();
});

const bridge = async (body: object = { command: COMMAND }) => (await lab.ask(PATH, body)).body;
const write = (sql: string, values: string[]) => lab.service.core.db.execute(sql, values);
/** Has a bridge looked at now, with other times; what was pinned before it is older than these. */
async function due(id: string, set: string): Promise<void> {
	await write("update bridge.pin set pinned_at = now() - interval '1 day'", []);
	await write(`update bridge.bridge set look_at = now(), ${set} where id = $1`, [id]);
}
const nonce = () => lab.market.rpc("eth_getTransactionCount", [wallet.address, "latest"]);

describe("[BRG-02] the grammar", () => {
	const whole = `bridge 0.001 eth from anvil to robinhood as USDG recipient ${ALICE} refund to ${BOB}`;
	const ways = {
		"the route": async (command: string) => (await lab.ask(PATH, { command })).body,
		"the agent": async (text: string) => (await lab.ask("/v1/agent/command", { text })).body.data,
	};
	for (const [way, ask] of Object.entries(ways)) {
		test(`a command is read exactly by ${way}, with every part and without the optional ones`, async () => {
			expect(await ask(whole)).toMatchObject({
				...{ errorCode: null, amountRaw: "1000000000000000", recipient: ALICE, refundTo: BOB },
				origin: { chain: "anvil", symbol: "ETH" },
				destination: { chain: "robinhood", currency: USDG },
			});
			expect(await ask("bridge 0.001 eth from anvil to robinhood")).toMatchObject({
				...{ recipient: wallet.address, refundTo: wallet.address },
				destination: { chain: "robinhood", symbol: "ETH" },
			});
			const back = await ask("bridge 1 usdg to anvil as eth");
			expect(back).toMatchObject({
				...{ errorCode: null, origin: { chain: "robinhood", symbol: "USDG" } },
				destination: { chain: "anvil", symbol: "ETH" },
			});
			await lab.reached(back.id, ["success"]);
		});
	}

	test.each([
		["the route", (as: string, command: string) => lab.ask(PATH, { command }, { as })],
		["the agent", (as: string, text: string) => lab.ask("/v1/agent/command", { text }, { as })],
	])(
		"%s bridges the whole balance of the wallet, of the coin minus the cost of the deposit",
		async (_, ask) => {
			const as = "gil";
			const { address } = await lab.enrol(as);
			const told = async (text: string) => {
				const { body } = await ask(as, text);
				return body.data ?? body;
			};
			const mint = { abi: dollarAbi, functionName: "mint", args: [address, 3_000_000n] } as const;
			const [from] = await lab.home.rpc<string[]>("eth_accounts");
			const sent = { from, to: USDG, data: encodeFunctionData(mint) };
			await lab.home.rpc("eth_sendTransaction", [sent]);
			await lab.home.mined();
			const heldRaw = await lab.dollars(address);
			const dollars = await told("bridge all usdg from robinhood to anvil as eth");
			expect([dollars.errorCode, dollars.amountRaw]).toEqual([null, String(heldRaw)]);
			await lab.market.rpc("anvil_setBalance", [address, `0x${ETHER.toString(16)}`]);
			const coins = await told("bridge all eth from anvil to robinhood as usdg");
			expect([coins.errorCode, BigInt(coins.amountRaw) < ETHER]).toEqual([null, true]);
			for (const { id } of [dollars, coins]) await lab.reached(id, ["success"], as);
			expect(await lab.dollars(address)).toBeGreaterThan(0n);
			const left = await lab.coins("market", address);
			expect(left > 0n && left < 2n * ETHER).toBe(true);
			const none = await told("bridge all tusd from robinhood to anvil as eth");
			expect([none.status, none.errorCode]).toEqual(["rejected", "balance_insufficient"]);
		},
	);

	test("a text with the word bridge is read as a bridge or not at all, never as a trade", async () => {
		const trades = async () =>
			(await lab.service.core.db.query("select 1 from trading.trade")).length;
		const [before, quoted] = [await trades(), lab.bridge.ledger().length];
		for (const text of [
			"bridge buy TSLA with 50 USDG",
			"bridge sell all TSLA",
			"bridge 5 usdg",
			"bridge 5 TSLA to USDG",
			"sell all TSLA bridge 1 eth to robinhood",
		]) {
			const { body } = await lab.ask("/v1/agent/command", { text });
			const tool = body.tool ?? "none";
			expect([text, ["none", "bridge", "prepare_bridge"].includes(tool)]).toEqual([text, true]);
			expect([text, await trades()]).toEqual([text, before]);
		}
		const loose = await lab.ask(PATH, { command: "bridge 5 usdg over to anvil" });
		expect(loose).toMatchObject({ status: 422, body: { code: "validation_error" } });
		expect(lab.bridge.ledger().length).toBe(quoted);
	});
});

describe("[BRG-07] a bridge between its first step and its outcome", () => {
	test("the allowance's result is stored before the deposit is planned", async () => {
		const body = { amount: "5", currency: "USDG", from: "robinhood", to: "anvil", as: "ETH" };
		const done = await lab.reached((await bridge(body)).id, ["success"]);
		const [first] = await lab.service.core.db.query<{ ordered: boolean }>(
			`select (select max(at) from wallets.intent_move where intent_id = a.id and event = 'mined')
				<= (select min(at) from wallets.intent_move where intent_id = d.id and event = 'reserve')
				as ordered
			from wallets.intent d join wallets.intent a on a.id = d.after_id where d.id = $1`,
			[done.intentId],
		);
		expect(first?.ordered).toBe(true);
		expect(done.steps.map((step: any) => step.status)).toEqual(["confirmed", "confirmed"]);
		expect(new Set(done.steps.map((step: any) => step.transactionHash)).size).toBe(2);
	});

	test("the rest of an older allowance is revoked first, if the token requires that", async () => {
		const depository = lab.bridge.chains.find(({ id }) => id === 4_663)?.depository ?? "0x";
		const slotOf = (key: Hex, slot: Hex) => keccak256(concat([pad(key), slot]));
		const ofOwner = slotOf(wallet.address, pad("0x01"));
		const left = [TETHER, slotOf(depository, ofOwner), pad("0x07")];
		await lab.home.rpc("anvil_setStorageAt", left);
		const args = [wallet.address, 9_000_000n] as const;
		const data = encodeFunctionData({ abi: dollarAbi, functionName: "mint", args });
		const [from] = await lab.home.rpc<string[]>("eth_accounts");
		await lab.home.rpc("eth_sendTransaction", [{ from, to: TETHER, data }]);
		await lab.home.mined();
		const body = { amount: "9", currency: "TUSD", from: "robinhood", to: "anvil", as: "ETH" };
		const done = await lab.reached((await bridge(body)).id, ["success", "failure", "rejected"]);
		expect([done.status, done.errorCode]).toEqual(["success", null]);
		expect(done.steps.map(({ kind, status }: any) => [kind, status])).toEqual([
			["approve", "confirmed"],
			["approve", "confirmed"],
			["deposit", "confirmed"],
		]);
	});

	test.each([
		["a coin", { amount: "20000", from: "anvil", to: "robinhood", currency: "ETH", as: "USDG" }],
		["a token", { amount: "999999", from: "robinhood", to: "anvil", currency: "USDG", as: "ETH" }],
	])(
		"if the wallet lacks %s the refusal says how much, and no allowance is given",
		async (_, body) => {
			const { currency } = body;
			const chain = currency === "ETH" ? "market" : "home";
			const heldRaw =
				chain === "home"
					? await lab.dollars(wallet.address)
					: await lab.coins(chain, wallet.address);
			const decimals = currency === "ETH" ? 18 : 6;
			const before = await lab[chain].rpc("eth_getTransactionCount", [wallet.address, "latest"]);
			const refused = await bridge(body);
			const missingRaw = BigInt(body.amount) * 10n ** BigInt(decimals) - heldRaw;
			expect([refused.status, refused.errorCode]).toEqual(["rejected", "balance_insufficient"]);
			expect(refused.detail).toContain(`${formatUnits(missingRaw, decimals)} ${currency}`);
			expect(await lab[chain].rpc("eth_getTransactionCount", [wallet.address, "latest"])).toBe(
				before,
			);
		},
	);

	test("a wallet provider's lost answer is looked up by its reference, and nothing is sent again", async () => {
		const before = Number(await nonce());
		lab.custody.fault({ path: SEND, kind: "silence", when: "after", times: 1 });
		const { id } = await bridge();
		const done = await lab.reached(id, ["success"]);
		expect(Number(await nonce())).toBe(before + 1);
		const moves = await lab.service.core.db.query<{ to: string }>(
			"select to_status as to from bridge.move where bridge_id = $1",
			[id],
		);
		expect(moves.map(({ to }) => to)).toContain("uncertain");
		expect(done.depositHash).toMatch(/^0x/);
	});

	test("a bridge whose request the provider does not know is found by its order or deposit", async () => {
		lab.bridge.fault({ kind: "unseen" });
		const { id } = await bridge();
		const { depositHash } = await lab.reached(id, ["pending"]);
		await due(id, "deposited_at = now() - interval '30 seconds', hinted_at = null");
		await lab.reached(id, ["success"]);
		const calls = lab.bridge.calls().map(({ call }) => call);
		// By its order first: a wallet that batches makes several deposits in one transaction.
		const isSearch = (call: string) =>
			call.includes("orderId=") || call.includes(`depositTxHash=${depositHash}`);
		expect(calls.some(isSearch)).toBe(true);
		expect(lab.bridge.hinted.some(({ txHash }) => txHash === depositHash)).toBe(true);
	});

	test("polling continues until a time-out, and a later fill still ends the bridge", async () => {
		lab.bridge.fault({ kind: "fill_late", times: 1, delayMs: 600_000 });
		const { id } = await bridge();
		await lab.reached(id, ["pending"]);
		await due(id, "deposited_at = now() - interval '61 minutes'");
		const late = await lab.reached(id, ["timed_out"]);
		expect(late.where).toContain("did not arrive in time");
		lab.bridge.release();
		await lab.reached(id, ["success"]);
	});

	test("polling continues until a failure, which is shown after its grace period", async () => {
		lab.bridge.fault({ kind: "fail", times: 1 });
		const { id } = await bridge();
		const early = await lab.until(id, ({ providerStatus }) => providerStatus === "failure");
		expect(early.status).toBe("pending");
		await due(id, "failed_at = now() - interval '6 minutes'");
		const failed = await lab.reached(id, ["failure"]);
		expect(failed.providerReason).toBe("SOLVER_CAPACITY_EXCEEDED");
	});

	test("a refund is final: nothing is sent after it, and nothing can be quoted or retried", async () => {
		lab.bridge.fault({ kind: "refund", times: 1 });
		const { id } = await bridge();
		await lab.reached(id, ["refund"]);
		const before = await nonce();
		await due(id, "looks = looks");
		const requoted = await lab.ask(`${PATH}/${id}/requote`, {});
		expect(requoted.body.code).toBe("requote_after_submission");
		const retried = await lab.ask(`/v1/admin/bridges/${id}/retry`, {}, { admin: true });
		expect(retried).toMatchObject({ status: 409, body: { code: "bridge_state" } });
		expect((await lab.ask(`${PATH}/${id}`)).body.status).toBe("refund");
		expect(await nonce()).toBe(before);
	});

	test("[BRG-11] a dry run stays quoted, and a retry uses the stored quote", async () => {
		await lab.restart({ BRIDGE_DRY_RUN: "true" });
		const quoted = await bridge();
		expect(quoted).toMatchObject({ status: "quoted", intentId: null });
		await lab.restart({});
		await until(async () => {
			await lab.ask(`/v1/admin/bridges/${quoted.id}/retry`, {}, { admin: true });
			const { body } = await lab.ask(`${PATH}/${quoted.id}`);
			return body.status !== "quoted" && body.errorCode === null;
		}, "it goes on");
		const done = await lab.reached(quoted.id, ["success"]);
		expect(done.quote.requestId).toBe(quoted.quote.requestId);
		const rows = await lab.service.core.db.query(
			"select seq from bridge.quote where bridge_id = $1",
			[quoted.id],
		);
		expect(rows).toHaveLength(1);
	});
});

describe("[BRG-11] operators", () => {
	const out: string[] = [];
	async function svc(...args: string[]): Promise<string> {
		out.splice(0);
		const env = { ...lab.env, DATABASE_URL: lab.service.database.connectionString };
		const code = await runCommand(args, { env, out: (line) => out.push(line), note() {} });
		expect(code).toBe(0);
		return out.join("\n");
	}

	test("operators list, show, retry and stop bridges, and disable chains, from a shell and over HTTP", async () => {
		await lab.ask("/v1/trading/profile", { requireTradeConfirmation: true });
		const waiting = await bridge();
		expect(waiting.status).toBe("confirmation_required");
		expect(await svc("bridge", "list")).toContain(`${waiting.id}\tconfirmation_required`);
		const listed = await lab.ask("/v1/admin/bridges", undefined, { admin: true });
		expect(listed.body.bridges.map(({ id }: any) => id)).toContain(waiting.id);
		expect(JSON.parse(await svc("bridge", "show", waiting.id))).toMatchObject({ id: waiting.id });
		await svc("bridge", "disable", waiting.id);
		await lab.reached(waiting.id, ["disabled"]);
		await lab.ask("/v1/trading/profile", { requireTradeConfirmation: false });
		expect(await svc("bridge-chain", "4663", "false")).toBe("4663 false");
		expect(await bridge()).toMatchObject({ status: "rejected", errorCode: "chain_denied" });
		await svc("bridge-chain", "4663", "true");
		const { id } = await bridge();
		await lab.reached(id, ["success"]);
		await expect(svc("bridge", "retry", id)).rejects.toThrow();
		for (const wrong of [["bridge"], ["bridge", "show"], ["bridge-chain", "4663", "maybe"]]) {
			await expect(svc(...wrong)).rejects.toThrow();
		}
		const audited = await lab.service.core.db.query<{ entry: string }>(
			"select entry::text from core.audit_entry",
		);
		const told = audited.map(({ entry }) => entry).filter((one) => one.includes("operator:svc"));
		for (const action of ["bridge.disabled", "bridge.chain.switched"]) {
			expect([action, told.some((one) => one.includes(action))]).toEqual([action, true]);
		}
	});

	test("operators disable all bridging, or that of posts alone", async () => {
		/** As the social channel records what a post asks for. */
		const posted = async () => {
			const id = Bun.randomUUIDv7();
			await write(
				`insert into bridge.bridge (id, profile_id, wallet_id, channel, asks, request, status,
					created_at, changed_at, look_at)
				select $1, profile_id, id, 'social', false, $3::jsonb, 'created', now(), now(), now()
				from wallets.wallet where id = $2`,
				[
					...[id, wallet.id],
					JSON.stringify({
						...{ amount: "0.01", currency: "eth", from: "anvil", to: "robinhood", as: "usdg" },
						...{ recipient: null, refundTo: null, mode: "normal" },
					}),
				],
			);
			return id;
		};
		const refused = await lab.reached(await posted(), ["rejected", "success"]);
		expect(refused).toMatchObject({ status: "rejected", errorCode: "bridging_disabled" });
		await lab.restart({ ENABLE_SOCIAL_BRIDGING: "true" });
		expect((await lab.reached(await posted(), ["rejected", "success"])).status).toBe("success");
		await lab.restart({ ENABLE_BRIDGING: "false", ENABLE_SOCIAL_BRIDGING: "true" });
		for (const id of [(await bridge()).id, await posted()]) {
			const off = await lab.reached(id, ["rejected", "success"]);
			expect(off).toMatchObject({ status: "rejected", errorCode: "bridging_disabled" });
		}
	});
});
