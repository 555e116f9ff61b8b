import { afterAll, beforeAll, beforeEach, expect, test } from "bun:test";
import { testHttpApp } from "#core/http/testing/testHttpApp.ts";
import { silentLog } from "#core/log.ts";
import { buyFault } from "#plugins/nft-buys/faults.ts";
import { buyRoutes } from "#plugins/nft-buys/plugin.ts";
import { type Anvil, startAnvil } from "#test/harness/anvil.ts";
import { type Buyer, type BuyLab, openBuyLab } from "#test/harness/openBuyLab.ts";
import { deploySeaport, type SeaportChain } from "#test/harness/seaport.ts";
import { createTestDatabase, type TestDatabase } from "#test/harness/testDatabase.ts";

// Guarantee: a buy that its owner's own wallet sent is cancelled by that wallet, on a real node,
// which applies its own rules for replacements.

let database: TestDatabase;
let anvil: Anvil;
let seaport: SeaportChain;
let lab: BuyLab;
let buyer: Buyer;
let app: ReturnType<typeof testHttpApp>;

beforeAll(async () => {
	[database, anvil] = await Promise.all([createTestDatabase(), startAnvil()]);
	seaport = await deploySeaport(anvil);
});
afterAll(async () => {
	await anvil.stop();
	await database.drop();
});
beforeEach(async () => {
	lab = openBuyLab({ db: database.db, anvil, seaport });
	buyer = await lab.buyer({ capability: "external/manual" });
	const { wallets, chains } = lab;
	const served = chains.all.filter(({ slug }) => slug === "anvil");
	const ending = new AbortController().signal;
	const market = { find: () => Promise.reject(buyFault.collectionNotFound()) };
	const buys = buyRoutes({ wallets, log: silentLog, chains, market, served, ending });
	app = testHttpApp({ routes: [buys, lab.linkRoutes], clock: lab.clock });
});

async function call(path: string, options: { body?: object; by?: Buyer } = {}) {
	const { body, by } = options;
	const headers = new Headers({ "content-type": "application/json" });
	if (by) headers.set("authorization", `Bearer ${by.token}`);
	const isPost = body !== undefined;
	const init = isPost ? { method: "POST", headers, body: JSON.stringify(body) } : { headers };
	const response = await app.handle(new Request(`http://localhost${path}`, init));
	return { status: response.status, body: JSON.parse(await response.text()) as any };
}
const apiOf = (url: string) => `/v1/links/${url.split("/").pop()}`;

test("a buy that is pending too long is cancelled by the buyer's own wallet, and never paid", async () => {
	const listed = await lab.list();
	lab.serve(listed);
	const intent = await lab.buy(buyer, listed);
	const { from, to, valueRaw, data } = intent.plan!;
	await anvil.rpc("evm_setAutomine", [false]);
	const value = `0x${valueRaw.toString(16)}`;
	const payment = await anvil.rpc<`0x${string}`>("eth_sendTransaction", [
		{ from, to, value, data },
	]);
	await lab.execution.signed(intent.id, payment);
	await lab.tick();

	const cancel = `/v1/nft-market/intents/${intent.id}/cancel`;
	expect((await call(cancel, { body: {} })).status).toBe(401);
	const stranger = await lab.buyer({ account: 3 });
	expect((await call(cancel, { body: {}, by: stranger })).status).toBe(404);
	const asked = await call(cancel, { body: {}, by: buyer });
	expect(asked).toMatchObject({
		...{ status: 200, body: { id: intent.id, status: "submitted", cancellation: null } },
	});
	const link = apiOf(asked.body.cancelUrl);
	const { request, kind } = (await call(link)).body;
	expect(kind).toBe("nft_buy");
	expect(request).toMatchObject({ from, to: from, value: "0x0", data: "0x" });
	const { chainId: _, ...transaction } = request;
	const transactionHash = await anvil.rpc<string>("eth_sendTransaction", [transaction]);
	const used = await call(link, { body: { transactionHash } });
	expect(used.body.intents).toMatchObject([
		{ status: "submitted", cancellation: { state: "sent", transactionHash } },
	]);
	await anvil.rpc("anvil_mine", ["0x6"]);
	await anvil.rpc("evm_setAutomine", [true]);
	for (let turn = 0; turn < 3; turn++) await lab.tick(400_000);
	expect(await lab.reread(intent)).toMatchObject({
		...{ status: "failed", errorCode: "cancelled", cancellation: { state: "mined" } },
	});
	expect(await lab.ledger(intent)).toEqual({});
	expect((await call(cancel, { body: {}, by: buyer })).body.code).toBe("intent_state");
	expect(lab.sent).toEqual([]);
});
