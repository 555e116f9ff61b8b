import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { encodeDeployData, encodeFunctionData, zeroAddress } from "viem";
import { type Anvil, startAnvil } from "#test/harness/anvil.ts";
import { startTestService, type TestService } from "#test/harness/startTestService.ts";
import { until } from "#test/harness/until.ts";
import { compileContracts } from "#test/sandbox/compileContracts.ts";
import {
	type CustodyEmulator,
	startCustodyEmulator,
} from "#test/sandbox/custody/startCustodyEmulator.ts";
import { feedAbi } from "#test/sandbox/feeds.ts";

// Guarantee: money moves, and prices are read, on chains that no lane reads; a chain whose node
// serves another one gets a clear refusal, and an unused chain is never called.

const ANNA = `0x${"a1".repeat(20)}`;
const HOME = 4663;

let market: Anvil;
let home: Anvil;
let custody: CustodyEmulator;
let service: TestService;
let walletId: string;
let asked = 0;
/** Calls to a chain that is configured and unused. */
let unusedCalls = 0;
const unused = Bun.serve({
	hostname: "127.0.0.1",
	port: 0,
	fetch() {
		unusedCalls++;
		return new Response("nobody should be here", { status: 500 });
	},
});

beforeAll(async () => {
	market = await startAnvil();
	home = await startAnvil({ args: ["--chain-id", String(HOME)] });
	custody = await startCustodyEmulator({ rpcUrl: home.url });
	const feed = await deployFeed();
	service = await startTestService({
		scanFrom: null,
		env: {
			CHAINS: "anvil",
			CHAIN_RPC_URLS_JSON: JSON.stringify({
				anvil: [market.url],
				robinhood: [home.url, home.wsUrl],
				// An operator configured the wrong node.
				base: [market.url],
				arbitrum: [unused.url.href],
			}),
			USD_FEEDS_JSON: JSON.stringify({ [HOME]: { [zeroAddress]: { feed } } }),
			WALLET_PROVIDER_BASE_URL: custody.url,
			WALLET_PROVIDER_APP_ID: custody.appId,
			WALLET_PROVIDER_APP_SECRET: custody.appSecret,
			WALLET_PROVIDER_AUTHORIZATION_KEY: custody.authorizationKey,
			WALLET_PROVIDER_VERIFICATION_KEY: custody.verificationKey,
			TRADING_DRY_RUN: "false",
			TRADING_RECIPIENT_COOLDOWN_MINUTES: "0",
		},
	});
	const { body } = await ask("/v1/trading/enrollment", {});
	walletId = body.profile.canonicalWalletId;
});

afterAll(async () => {
	await custody?.stop();
	await service?.stop();
	await service?.database.drop();
	await Promise.all([market?.stop(), home?.stop(), unused.stop(true)]);
});

/** Deploys a price feed of 2,000 dollars on the home chain and returns its address. */
async function deployFeed(): Promise<string> {
	const [from] = await home.rpc<string[]>("eth_accounts");
	const creation = compileContracts().SandboxFeed.creation;
	const send = async (call: object) => {
		const hash = await home.rpc("eth_sendTransaction", [{ from, ...call }]);
		await home.mined();
		return await home.rpc<{ contractAddress: string }>("eth_getTransactionReceipt", [hash]);
	};
	const args = ["ETH / USD"] as const;
	const deployed = await send({
		data: encodeDeployData({ abi: feedAbi, bytecode: creation, args }),
	});
	const to = deployed.contractAddress;
	const answer = [2_000n * 10n ** 8n] as const;
	const data = encodeFunctionData({ abi: feedAbi, functionName: "publish", args: answer });
	await send({ to, data });
	return to;
}

async function ask(path: string, body?: unknown) {
	asked++;
	const response = await fetch(`${service.url}${path}`, {
		method: body === undefined ? "GET" : "POST",
		headers: {
			authorization: `Bearer ${custody.token({ userId: custody.person("ada").id })}`,
			"x-forwarded-for": `10.9.${asked >> 8}.${asked & 255}`,
			...(body !== undefined && { "content-type": "application/json" }),
		},
		...(body !== undefined && { body: JSON.stringify(body) }),
	});
	return { status: response.status, body: (await response.json()) as any };
}

async function send(more: object) {
	const sending = { fromWalletId: walletId, recipients: [ANNA], amount: "0.01", ...more };
	const { status, body } = await ask("/v1/trading/wallet-transfers", sending);
	expect(status).toBe(202);
	return body.transfers[0];
}

async function confirmed(id: string): Promise<void> {
	await until(async () => {
		const { body } = await ask(`/v1/trading/wallet-transfers/${id}`);
		return body.transfer?.status === "confirmed" || body.status === "confirmed";
	}, "the transfer is confirmed");
}

async function received(): Promise<bigint> {
	return BigInt(await home.rpc<string>("eth_getBalance", [ANNA, "latest"]));
}

test("wallets are linked on the home chain, which needs no lane", async () => {
	const { body } = await ask("/v1/trading/settings");
	expect(body).toMatchObject({ homeChain: { id: HOME, slug: "robinhood" } });
	expect((await ask("/v1/trading/profile")).body.wallets[0]).toMatchObject({ chainId: HOME });
	const { body: nonce } = await ask("/v1/trading/siwe/nonce", {});
	expect(nonce.chainId).toBe(HOME);
});

test("a price feed on a chain without lanes is used to value a spend", async () => {
	await until(async () => (await send({ amount: "0.0001" })).errorCode === null, "a price");
});

test("a transfer is sent, and settled, on a chain without lanes", async () => {
	const before = await received();
	const transfer = await send({});
	expect(transfer).toMatchObject({ errorCode: null, chain: "robinhood" });
	await confirmed(transfer.id);
	expect(await received()).toBeGreaterThanOrEqual(before + 10n ** 16n);
});

test("a command may name the chain to send on, and the chain's balances are shown", async () => {
	const text = `send 0.02 eth to ${ANNA} on robinhood`;
	const { body } = await ask("/v1/agent/command", { text });
	expect(body).toMatchObject({ kind: "done", data: { chain: "robinhood", errorCode: null } });
	await confirmed(body.data.id);
	const told = await ask("/v1/agent/command", { text: "balance on robinhood" });
	expect(told.body.data.balances[0]).toMatchObject({ chain: "robinhood" });
	expect(Number(told.body.data.balances[0].balance)).toBeGreaterThan(900);
});

describe("a chain whose node serves another chain", () => {
	test("a transfer on it is refused with its own code and reserves nothing", async () => {
		const transfer = await send({ chain: "base" });
		expect(transfer).toMatchObject({ status: "rejected", errorCode: "chain_unavailable" });
		const held = await service.core.db.query(
			"select 1 from wallets.spend_entry where intent_id = $1",
			[transfer.id],
		);
		expect(held).toEqual([]);
	});

	test("a chain whose node serves another has unknown balances, not zero", async () => {
		const { body } = await ask("/v1/agent/command", { text: "balance on base" });
		expect(body.data.balances[0]).toMatchObject({ chain: "base", balance: null });
	});
});

test("lanes and pages use the chains of CHAINS only", async () => {
	await service.indexed(0);
	const cursors = "select distinct chain_id::int as id from chain_scanner.cursor";
	expect(await service.core.db.query(cursors)).toEqual([{ id: market.chainId }]);
	const page = await ask("/v1/nft-market/trending?chain=robinhood");
	expect(page.status).toBe(422);
});

test("a configured chain that is not used costs no call", async () => {
	expect(service.core.reached.map(({ chain }) => chain.slug)).toContain("arbitrum");
	expect(unusedCalls).toBe(0);
});
