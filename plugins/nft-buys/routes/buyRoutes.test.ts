import { afterAll, beforeAll, beforeEach, describe, expect, test } from "bun:test";
import { rpcFault } from "#core/chain/rpc/Rpc.ts";
import { testHttpApp } from "#core/http/testing/testHttpApp.ts";
import { silentLog } from "#core/log.ts";
import { buyFault } from "#plugins/nft-buys/faults.ts";
import { buyRoutes } from "#plugins/nft-buys/plugin.ts";
import { type Anvil, startAnvil } from "#test/harness/anvil.ts";
import { type Buyer, type BuyLab, ETHER, openBuyLab } from "#test/harness/openBuyLab.ts";
import { deploySeaport, type SeaportChain } from "#test/harness/seaport.ts";
import type { Listed } from "#test/harness/sellListing.ts";
import { createTestDatabase, type TestDatabase } from "#test/harness/testDatabase.ts";

let database: TestDatabase;
let anvil: Anvil;
let seaport: SeaportChain;
let lab: BuyLab;
let buyer: Buyer;
let listed: Listed;
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
	buyer = await lab.buyer();
	listed = await lab.list();
	lab.serve(listed);
	const { wallets, chains } = lab;
	const served = chains.all.filter(({ slug }) => slug === "anvil");
	const ending = new AbortController().signal;
	const market = {
		async find(slug: string, chain: string | undefined) {
			if (slug !== "kiln-folk") throw buyFault.collectionNotFound();
			return { id: 1, slug, chain: chain ?? "anvil", address: listed.listing.contract ?? "0x" };
		},
	};
	const routes = buyRoutes({ wallets, log: silentLog, chains, market, served, ending });
	app = testHttpApp({ routes: [routes], clock: lab.clock });
});

type Init = { method?: string; body?: string; token?: string | null; key?: string };

async function call(path: string, { method, body, token = buyer.token, key }: Init = {}) {
	const headers = new Headers();
	if (token !== null) headers.set("authorization", `Bearer ${token}`);
	if (key !== undefined) headers.set("idempotency-key", key);
	if (body !== undefined) headers.set("content-type", "application/json");
	const response = await app.handle(
		new Request(`http://localhost/v1/nft-market${path}`, {
			method: method ?? (body === undefined ? "GET" : "POST"),
			headers,
			...(body !== undefined && { body }),
		}),
	);
	const text = await response.text();
	return { status: response.status, text, body: JSON.parse(text) as any };
}

/** Returns a body for the listing; `changes` are inserted as JSON text. */
function buyBody(changes: Record<string, string> = {}): string {
	const members = {
		chain: '"anvil"',
		contract: `"${listed.listing.contract}"`,
		tokenId: `"${listed.listing.tokenId}"`,
		maxPriceNative: "1.0",
		...changes,
	};
	const entries = Object.entries(members).filter(([, text]) => text !== "");
	return `{${entries.map(([name, text]) => `"${name}":${text}`).join(",")}}`;
}

const intentsCount = async () =>
	(
		await database.db.query("select 1 from wallets.intent where profile_id = $1", [
			buyer.profile.id,
		])
	).length;

describe("POST /v1/nft-market/buys", () => {
	test("[NFT-03] 201 with the intent: status, errorCode, priceLimit, createdAt", async () => {
		const { status, body } = await call("/buys", { body: buyBody() });
		expect({ status, body }).toMatchObject({
			status: 201,
			body: {
				kind: "buy",
				status: "submitted",
				errorCode: null,
				chain: "anvil",
				priceLimit: 1,
				priceLimitRaw: String(ETHER),
				quantity: "1",
				createdAt: new Date(lab.clock.ms).toISOString(),
				link: null,
				orderHash: listed.orderHash,
				plan: { action: "nft_buy", seller: seaport.accounts[2], orderHash: listed.orderHash },
			},
		});
		expect(body.transactionHash).toMatch(/^0x[0-9a-f]{64}$/);
		expect((await call(`/intents/${body.id}`)).body).toMatchObject({ id: body.id, kind: "buy" });
	});

	test("[NFT-01] [NFT-03] a refusal by policy is 201 too, rejected with its code", async () => {
		buyer = await lab.buyer({ perTradeUsdMax: 1n });
		const { status, body } = await call("/buys", { body: buyBody() });
		expect({ status, intent: body.status, code: body.errorCode }).toEqual({
			status: 201,
			intent: "rejected",
			code: "per_trade_limit",
		});
		expect(lab.sent).toEqual([]);
	});

	test("[NFT-04] a buy is checked against its four limits before it is sent", async () => {
		const set = (table: "profile" | "wallet", column: string, id: string) =>
			database.db.execute(`update wallets.${table} set ${column} = 1 where id = $1`, [id]);
		const limits: [code: string, limit: () => Promise<unknown> | void][] = [
			["per_trade_limit", () => set("profile", "per_trade_usd_max", buyer.profile.id)],
			["wallet_notional_limit", () => set("wallet", "notional_usd_max", buyer.wallet.id)],
			["daily_limit", () => set("profile", "daily_usd_max", buyer.profile.id)],
			["usd_rate_unavailable", () => lab.prices.setEth(null)],
		];
		for (const [errorCode, limit] of limits) {
			buyer = await lab.buyer();
			await limit();
			const { status, body } = await call("/buys", { body: buyBody() });
			expect({ status, body }).toMatchObject({
				status: 201,
				body: { status: "rejected", errorCode },
			});
		}
		expect(lab.sent).toEqual([]);
	});

	test("[NFT-04] a buy ignores the limits that apply only to trades and transfers", async () => {
		Object.assign(lab.deps.settings.limits, { recipientCooldownMs: 86_400_000 });
		const switches = ["kill:plugin:trading", "kill:plugin:transfers", "enforce_min_liquidity"];
		for (const key of switches) {
			await database.db.execute(
				`insert into wallets.control (key, value, changed_by, changed_at)
				values ($1, 'true', 'test', now())`,
				[key],
			);
		}
		const { body } = await call("/buys", { body: buyBody() });
		await database.db.execute("delete from wallets.control where key = any($1)", [switches]);
		expect(body).toMatchObject({ status: "submitted", errorCode: null });
		expect(lab.sent).toHaveLength(1);
	});

	test("[NFT-03] a caller without a wallet gets a rejected intent as well, and it is stored", async () => {
		await database.db.execute(
			"update wallets.profile set canonical_wallet_id = null where id = $1",
			[buyer.profile.id],
		);
		await database.db.execute("update wallets.wallet set removed_at = now() where id = $1", [
			buyer.wallet.id,
		]);
		const offer = buyBody({ maxPriceNative: "", priceNative: '"1"' });
		for (const [path, body] of [
			["/buys", buyBody()],
			["/offers", offer],
		] as const) {
			const asked = await call(path, { body, key: path });
			expect([path, asked.status, asked.body.status, asked.body.errorCode]).toEqual([
				path,
				201,
				"rejected",
				"no_executable_wallet",
			]);
			expect(asked.body.walletId).toBeNull();
			const kept = await call(`/intents/${asked.body.id}`);
			expect(kept.body).toMatchObject({ status: "rejected", walletId: null });
			expect((await call(path, { body, key: path })).text).toBe(asked.text);
		}
		expect(await intentsCount()).toBe(2);
		expect(lab.sent).toEqual([]);
		// The database refuses to mark it as sent, whatever statement tries.
		const made = database.db.execute(
			"update wallets.intent set status = 'submitting' where wallet_id is null",
		);
		await expect(made).rejects.toThrow("intent_wallet");
	});

	test("a repeated key and body get the same answer, byte for byte, and one transaction", async () => {
		const first = await call("/buys", { body: buyBody(), key: "k1" });
		const again = await call("/buys", { body: buyBody(), key: "k1" });
		expect(again).toEqual(first);
		expect(lab.sent).toHaveLength(1);
		const other = await call("/buys", { body: buyBody({ maxPriceNative: "2" }), key: "k1" });
		expect({ status: other.status, code: other.body.code }).toEqual({
			status: 409,
			code: "idempotency_conflict",
		});
	});

	test("a buy that cannot be sent now is answered with its state, and continues later", async () => {
		const { rpc } = lab.state;
		const away = async () => {
			throw rpcFault.transport({ detail: "away" });
		};
		// The listing is read and checked; then the node is gone.
		lab.state.rpc = rpc && { ...rpc, settle: away };
		const asked = await call("/buys", { body: buyBody(), key: "k1" });
		expect({ status: asked.status, intent: asked.body.status }).toEqual({
			status: 201,
			intent: "created",
		});
		expect(lab.sent).toEqual([]);
		lab.state.rpc = rpc;
		lab.clock.ms += 11_000;
		await lab.tick();
		expect((await call(`/intents/${asked.body.id}`)).body.status).not.toBe("created");
		await call("/buys", { body: buyBody(), key: "k1" });
		expect(lab.sent).toHaveLength(1);
	});

	test("two simultaneous requests without a key pay once: the listing can be filled once", async () => {
		const answers = await Promise.all([1, 2].map(() => call("/buys", { body: buyBody() })));
		expect(answers.map(({ status }) => status)).toEqual([201, 201]);
		// The second may wait in the queue behind the first, and runs then. A revert is reported after
		// one more block.
		for (const ms of [1_000, 11_000, 1_000]) {
			await lab.tick(ms);
			await anvil.rpc("anvil_mine", ["0x1"]);
			await lab.tick(60_000);
		}
		const reread = await Promise.all(answers.map(({ body }) => call(`/intents/${body.id}`)));
		const statuses = reread.map(({ body }) => body.status);
		expect(statuses.filter((status) => status === "confirmed")).toHaveLength(1);
		expect(["failed", "rejected"]).toContain(statuses.find((status) => status !== "confirmed"));
	});

	test("an answer that asks for a confirmation or a signature has the link", async () => {
		buyer = await lab.buyer({ requireTradeConfirmation: true });
		const asked = await call("/buys", { body: buyBody() });
		expect(asked.body).toMatchObject({
			status: "confirmation_required",
			link: { url: `https://app.example/confirm/${asked.body.id}` },
		});
		buyer = await lab.buyer({ capability: "external/manual" });
		const manual = await call("/buys", { body: buyBody() });
		expect(manual.body).toMatchObject({
			status: "signature_required",
			link: { url: `https://app.example/sign/${manual.body.id}` },
		});
		expect(lab.sent).toEqual([]);
	});

	const traps: [text: string, status: number, code: string][] = [
		["1e18", 422, "amount_invalid"],
		["-0", 422, "amount_invalid"],
		["-1", 422, "amount_invalid"],
		["0", 422, "amount_invalid"],
		["0.0000000000000000001", 422, "amount_invalid"],
		["9".repeat(78), 422, "amount_invalid"],
		['"1e18"', 422, "amount_invalid"],
		['"0x10"', 422, "amount_invalid"],
		['"１"', 422, "amount_invalid"],
		['"1,5"', 422, "amount_invalid"],
		['"-0"', 422, "amount_invalid"],
		['" 1"', 422, "amount_invalid"],
		['"01"', 422, "amount_invalid"],
		['""', 422, "amount_invalid"],
		["0x10", 400, "malformed_body"],
		["１", 400, "malformed_body"],
		["1,5", 400, "malformed_body"],
		["null", 422, "validation_error"],
		["true", 422, "validation_error"],
		["[1]", 422, "validation_error"],
	];
	for (const [text, status, code] of traps) {
		test(`[SEC-04] maxPriceNative ${text.slice(0, 24)} is ${code}, and nothing is recorded`, async () => {
			const answer = await call("/buys", { body: buyBody({ maxPriceNative: text }) });
			expect({ status: answer.status, code: answer.body.code }).toEqual({ status, code });
			expect(await intentsCount()).toBe(0);
		});
	}

	test("an exponent, as JSON writes small numbers, is refused by its member and the form it takes", async () => {
		for (const maxPriceNative of [JSON.stringify(1e-7), '"1e-7"', "1E+2"]) {
			const { body } = await call("/buys", { body: buyBody({ maxPriceNative }) });
			expect(body).toMatchObject({ code: "amount_invalid", issues: [{ path: "maxPriceNative" }] });
			expect(body.issues[0].message).toContain("write 0.0000001 in place of 1e-7");
			expect(body.issues[0].message).toContain("at most 18 decimals");
		}
		const long = buyBody({ maxPriceNative: `0.${"1".repeat(40)}` });
		expect((await call("/buys", { body: long })).body.issues).toEqual([
			{
				path: "maxPriceNative",
				message: "has 40 digits after the point; ETH takes digits with at most 18 decimals.",
			},
		]);
		expect(await intentsCount()).toBe(0);
	});

	test("a collection is named by its slug, by its contract, or by both, and both have to agree", async () => {
		const named = { slug: '"kiln-folk"', contract: "" };
		const bySlug = await call("/buys", { body: buyBody(named) });
		expect(bySlug.body).toMatchObject({ status: "submitted", contract: listed.listing.contract });
		const other = `"0x${"ab".repeat(20)}"`;
		for (const [changes, code, path] of [
			[{ slug: '"kiln-folk"', contract: other }, "validation_error", "contract"],
			[{ contract: "" }, "validation_error", "contract"],
			[{ slug: '"nobody"', contract: "" }, "not_found", undefined],
			[{ ...named, chain: '"base"' }, "validation_error", "chain"],
		] as const) {
			const { body } = await call("/buys", { body: buyBody(changes) });
			expect([body.code, body.issues?.[0]?.path]).toEqual([code, path]);
		}
		expect(await intentsCount()).toBe(1);
	});

	test("a price is read from its text: one wei less than the price is too little", async () => {
		const short = await call("/buys", {
			body: buyBody({ maxPriceNative: "0.999999999999999999" }),
		});
		expect(short.body).toMatchObject({
			status: "rejected",
			errorCode: "price_limit_exceeded",
			priceLimitRaw: "999999999999999999",
		});
		const exact = await call("/buys", {
			body: buyBody({ maxPriceNative: "1.000000000000000000" }),
		});
		expect(exact.body.status).toBe("submitted");
	});

	const checksummed = "0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed";
	const wrong: Record<string, string>[] = [
		{ contract: `"${checksummed.replace("5aA", "5AA")}"` },
		{ contract: `"0x${"0".repeat(40)}"` },
		{ contract: '"0x12"' },
		{ contract: "" },
		{ tokenId: '"0x1"' },
		{ tokenId: '"01"' },
		{ tokenId: "1.5" },
		{ tokenId: `"${2n ** 256n}"` },
		{ tokenId: "" },
		{ quantity: "0" },
		{ quantity: '"1000001"' },
		{ quantity: "1e3" },
		{ maxPriceNative: "" },
		{ orderHash: '"0x12"' },
		{ maxPrice: "1" },
		{ chain: '"solana"' },
		{ chain: '"ethereum"' },
		{ walletId: `"${crypto.randomUUID()}"` },
		{ walletId: '"1"' },
	];
	for (const changes of wrong) {
		test(`[SEC-04] ${JSON.stringify(changes).slice(0, 60)} is a validation_error`, async () => {
			const { status, body } = await call("/buys", { body: buyBody(changes) });
			expect({ status, code: body.code }).toEqual({ status: 422, code: "validation_error" });
			expect(body.issues.length).toBeGreaterThan(0);
			expect(await intentsCount()).toBe(0);
		});
	}

	test("a named order needs no price, a token id may be a number, and the only chain may be left out", async () => {
		const { body } = await call("/buys", {
			body: buyBody({
				chain: "",
				maxPriceNative: "",
				orderHash: `"0x${listed.orderHash.slice(2).toUpperCase()}"`,
				tokenId: String(listed.listing.tokenId),
			}),
		});
		// A named order's price is the limit.
		expect(body).toMatchObject({ status: "submitted", priceLimit: 1, chain: "anvil" });
		expect(body.priceLimitRaw).toBe(body.plan.pays.amountRaw);
		expect(body.orderHash).toBe(listed.orderHash);
	});
});

describe("POST /v1/nft-market/offers", () => {
	test("[NFT-02] 201 with the intent rejected, and no system was called", async () => {
		const text = buyBody({ maxPriceNative: "", priceNative: "0.5" });
		const { status, body } = await call("/offers", { body: text });
		expect({ status, body }).toMatchObject({
			status: 201,
			body: {
				kind: "offer",
				status: "rejected",
				errorCode: "provider_offer_requires_local_order_builder",
				priceLimit: 0.5,
				plan: null,
			},
		});
		expect(lab.fake.calls).toEqual([]);
		expect(lab.steps).toEqual([]);
		expect(lab.sent).toEqual([]);
	});

	test("[SEC-04] an invalid amount is refused here too", async () => {
		const text = buyBody({ maxPriceNative: "", priceNative: "1e18" });
		expect((await call("/offers", { body: text })).body.code).toBe("amount_invalid");
	});
});

describe("GET /v1/nft-market/intents", () => {
	test("lists the caller's intents, newest first, page by page", async () => {
		const ids: string[] = [];
		for (let turn = 0; turn < 3; turn++) {
			lab.clock.ms += 1_000;
			const text = buyBody({ maxPriceNative: "", priceNative: "0.5" });
			ids.unshift((await call("/offers", { body: text })).body.id);
		}
		const first = await call("/intents?limit=2");
		expect(first.body.data.map(({ id }: { id: string }) => id)).toEqual(ids.slice(0, 2));
		expect(first.body.page.hasMore).toBe(true);
		const rest = await call(`/intents?limit=2&cursor=${first.body.page.nextCursor}`);
		expect(rest.body).toMatchObject({
			data: [{ id: ids[2] }],
			page: { hasMore: false, nextCursor: null },
		});
		expect((await call("/intents?limit=0")).status).toBe(422);
	});

	test("another profile's intent is the same 404 as a missing one", async () => {
		const text = buyBody({ maxPriceNative: "", priceNative: "0.5" });
		const { body } = await call("/offers", { body: text });
		const { token } = await lab.buyer({ account: 3 });
		for (const path of [`/intents/${body.id}`, `/intents/${crypto.randomUUID()}`, "/intents/x"]) {
			const answer = await call(path, { token });
			expect({ status: answer.status, code: answer.body.code }).toEqual({
				status: 404,
				code: "not_found",
			});
		}
		expect((await call("/intents", { token })).body.data).toEqual([]);
	});
});

test("[SEC-04] without a session the answer is 401 before anything else of a request is checked", async () => {
	const requests: [string, Init][] = [
		["/buys", { body: buyBody() }],
		["/buys", { body: "{not json" }],
		["/buys", { body: "{}" }],
		["/buys", { method: "POST" }],
		["/offers", { body: "{}" }],
		["/intents", {}],
		["/intents?limit=x", {}],
		["/intents/x", {}],
	];
	for (const [path, init] of requests) {
		for (const token of [null, "wrong"]) {
			const answer = await call(path, { ...init, token });
			expect({ path, init, status: answer.status, code: answer.body.code }).toEqual({
				path,
				init,
				status: 401,
				code: "unauthorized",
			});
		}
	}
	expect(lab.fake.calls).toEqual([]);
});
