import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { encodeFunctionData, erc20Abi } from "viem";
import { type BridgeLab, openBridgeLab } from "#test/harness/openBridgeLab.ts";
import { countRoundTrips } from "#test/harness/proxies.ts";
import { until } from "#test/harness/until.ts";
import { fillPurse, sendAsSolver } from "#test/sandbox/bridge/BridgeWorld.ts";

// Guarantee: switches and questions stop what is not sent yet, and never the following of money.

const PATH = "/v1/bridges/intents";
const COMMAND = "bridge 0.1 eth from anvil to robinhood as USDG";

let lab: BridgeLab;
let wallet: { id: string; address: string };

beforeAll(async () => {
	lab = await openBridgeLab();
	wallet = await lab.enrol();
});
afterAll(() => lab?.stop());

const bridge = async () => (await lab.ask(PATH, { command: COMMAND })).body;
const deposits = () => lab.bridge.ledger().flatMap((one) => one.deposits).length;

describe("a profile that confirms each trade", () => {
	const answer = async (url: string) => {
		const token = url.split("/").at(-1);
		const { body } = await lab.ask(`/v1/links/${token}`, undefined, { as: null });
		const planHash = body.transactions[0].planHash;
		return lab.ask(`/v1/links/${token}`, { planHash }, { as: null });
	};

	test("the owner is asked by a link with the minimum amount, and nothing is sent before", async () => {
		await lab.ask("/v1/trading/profile", { requireTradeConfirmation: true });
		const before = deposits();
		const asked = await bridge();
		expect(asked).toMatchObject({ status: "confirmation_required", depositHash: null });
		const token = asked.confirmUrl.split("/").at(-1);
		const { body } = await lab.ask(`/v1/links/${token}`, undefined, { as: null });
		expect(body.transactions[0].shown.summary).toContain("at least 198.602 USDG");
		expect(deposits()).toBe(before);
		expect((await answer(asked.confirmUrl)).status).toBe(200);
		await lab.reached(asked.id, ["success"]);
		expect(deposits()).toBe(before + 1);
	});

	test("a confirmed bridge uses a newer quote, for no smaller amount, if the first has expired", async () => {
		const asked = await bridge();
		const db = lab.service.core.db;
		await db.execute("update bridge.quote set expires_at = now() where bridge_id = $1", [asked.id]);
		await answer(asked.confirmUrl);
		const done = await lab.reached(asked.id, ["success", "rejected", "failure"]);
		expect(done.status).toBe("success");
		expect(done.quote.requestId).not.toBe(asked.quote.requestId);
		const quotes = await db.query("select seq from bridge.quote where bridge_id = $1", [asked.id]);
		expect(quotes).toHaveLength(2);
	});

	test("a bridge that waits for confirmation can be quoted again", async () => {
		const asked = await bridge();
		const renewed = await lab.ask(`${PATH}/${asked.id}/requote`, {});
		expect(renewed).toMatchObject({ status: 200, body: { status: "confirmation_required" } });
		expect(renewed.body.quote.requestId).not.toBe(asked.quote.requestId);
		await lab.ask(`/v1/admin/bridges/${asked.id}/disable`, {}, { admin: true });
		expect((await lab.reached(asked.id, ["disabled"])).where).toContain("stayed in your wallet");
		await lab.ask("/v1/trading/profile", { requireTradeConfirmation: false });
	});
});

describe("another service on the same data", () => {
	test("a service with ENABLE_BRIDGING=false creates no bridge, and follows the existing ones", async () => {
		lab.bridge.fault({ kind: "fill_late", times: 1, delayMs: 600_000 });
		const { id } = await bridge();
		await lab.reached(id, ["pending"]);
		await lab.restart({ ENABLE_BRIDGING: "false" });
		expect(await bridge()).toMatchObject({ status: "rejected", errorCode: "bridging_disabled" });
		expect((await lab.ask("/v1/bridges/chains")).body.enabled).toBe(false);
		lab.bridge.release();
		await lab.reached(id, ["success"]);
	});

	test("a service with BRIDGE_DRY_RUN=true leaves a bridge quoted with its steps, and sends nothing", async () => {
		await lab.restart({ BRIDGE_DRY_RUN: "true" });
		const before = deposits();
		const quoted = await bridge();
		expect(quoted).toMatchObject({
			status: "quoted",
			intentId: null,
			steps: [{ kind: "deposit" }],
		});
		await Bun.sleep(0);
		expect((await lab.ask(`${PATH}/${quoted.id}`)).body.status).toBe("quoted");
		expect(deposits()).toBe(before);
	});

	test("a command needs at most thirteen round trips to the database until its quote is stored", async () => {
		// Without jobs: only what is asked for asks the database.
		await lab.restart({ BRIDGE_DRY_RUN: "true", ROLE: "api" });
		await bridge();
		const answers: any[] = [];
		const trips = await countRoundTrips(async () => answers.push(await bridge()));
		expect(answers).toMatchObject([{ status: "quoted", quote: { expectedOutRaw: "199600000" } }]);
		expect(trips).toBeGreaterThan(3);
		expect(trips).toBeLessThanOrEqual(13);
	});

	test("an arrival that a reorg removes is reported, and the next one is found", async () => {
		await lab.restart({});
		const db = () => lab.service.core.db;
		const snapshot = await lab.home.rpc("evm_snapshot", []);
		const { id } = await bridge();
		const done = await lab.reached(id, ["success"]);
		await lab.home.rpc("evm_revert", [snapshot]);
		// A node whose head went back is not asked before it has caught up.
		for (let blocks = 0; blocks < 5; blocks++) await lab.home.rpc("evm_mine", []);
		const missed = "select 1 from bridge.bridge where id = $1 and missing_at is not null";
		await until(async () => {
			await lab.look(id);
			return (await db().query(missed, [id])).length > 0;
		}, "it is missed once");
		expect((await lab.ask(`${PATH}/${id}`)).body.status).toBe("success");
		// A second look has to agree, a while later.
		const later = "update bridge.bridge set missing_at = missing_at - interval '1 minute'";
		await db().execute(`${later} where id = $1`, [id]);
		const lost = await lab.reached(id, ["uncertain"]);
		expect(lost).toMatchObject({ errorCode: "arrival_lost", arrived: { verified: false } });
		expect(lost.where).toContain("arrival_lost");
		const entry = lab.bridge.ledger().find((one) => one.requestId === done.quote.requestId);
		const chain = lab.bridge.chains.find((one) => one.id === 4_663);
		if (!entry?.fill || !chain) throw new Error("the bridge's books have it");
		await fillPurse(chain, { currency: entry.fill.currency, raw: entry.fill.raw });
		const args = [entry.fill.party, entry.fill.raw] as const;
		const data = encodeFunctionData({ abi: erc20Abi, functionName: "transfer", args });
		const hash = await sendAsSolver(chain.rpc, { to: entry.fill.currency, data });
		entry.fill = { ...entry.fill, hash };
		await db().execute("update bridge.bridge set look_at = now() where id = $1", [id]);
		const found = await lab.reached(id, ["success"]);
		expect(found.arrived).toMatchObject({ verified: true, transactionHash: hash });
		const moves = await db().query<{ to: string }>(
			"select to_status as to from bridge.move where bridge_id = $1 order by seq",
			[id],
		);
		expect(moves.map(({ to }) => to).slice(-3)).toEqual(["success", "uncertain", "success"]);
	});

	test("a deposit that a reorg removes is uncertain, and is never sent again", async () => {
		lab.bridge.fault({ kind: "fill_never", times: 1 });
		const snapshot = await lab.market.rpc("evm_snapshot", []);
		const nonceOf = () => lab.market.rpc("eth_getTransactionCount", [wallet.address, "latest"]);
		const { id } = await bridge();
		await lab.reached(id, ["pending"]);
		const handed = lab.custody.transactions().length;
		await lab.market.rpc("evm_revert", [snapshot]);
		for (let blocks = 0; blocks < 5; blocks++) await lab.market.rpc("evm_mine", []);
		const nonce = await nonceOf();
		const lost = await lab.reached(id, ["uncertain", "success", "refund"]);
		expect(lost).toMatchObject({ status: "uncertain", errorCode: "deposit_lost" });
		expect(lab.custody.transactions()).toHaveLength(handed);
		expect(await nonceOf()).toBe(nonce);
	});
});
