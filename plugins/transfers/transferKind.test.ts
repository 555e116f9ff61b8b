import { afterAll, beforeAll, beforeEach, describe, expect, test } from "bun:test";
import { type Address, encodeFunctionData, erc20Abi } from "viem";
import { builtinChains } from "#core/chain/builtinChains.ts";
import { rpcFault } from "#core/chain/rpc/Rpc.ts";
import { testHttpApp } from "#core/http/testing/testHttpApp.ts";
import { silentLog } from "#core/log.ts";
import { transferRoutes } from "#plugins/transfers/routes.ts";
import { ownTransfer } from "#plugins/transfers/sendTransfers.ts";
import {
	PLAN_LIFETIME_MS,
	TRANSFER,
	type TransferRequest,
	transferDenial,
	transferKind,
} from "#plugins/transfers/transferKind.ts";
import {
	createdTransfersSchema,
	linksOf,
	renderTransfer,
} from "#plugins/transfers/transferSchema.ts";
import type {
	Intent,
	Profile,
	SpendSituation,
	TokenPrice,
	Wallet,
	WalletCapability,
} from "#plugins/wallets/contract.ts";
import { type Anvil, startAnvil } from "#test/harness/anvil.ts";
import { deployOddToken, type ODD, type OddToken } from "#test/harness/deployOddToken.ts";
import { type Buyer, type BuyLab, CHAIN_ID, ETHER, openBuyLab } from "#test/harness/openBuyLab.ts";
import { deploySeaport, type SeaportChain } from "#test/harness/seaport.ts";
import { createTestDatabase, type TestDatabase } from "#test/harness/testDatabase.ts";

describe("coin", () => {
	// Guarantee: each recipient gets exactly the amount of a token, or nothing is sent; a transfer
	// from which the token deducts a fee does not count as successful.

	const ANNA = `0x${"a1".repeat(20)}` as const;
	const BERT = `0x${"b2".repeat(20)}` as const;

	let database: TestDatabase;
	let anvil: Anvil;
	let seaport: SeaportChain;
	let lab: BuyLab;
	let by: Buyer;
	let coin: Address;
	beforeAll(async () => {
		[database, anvil] = await Promise.all([createTestDatabase(), startAnvil()]);
		seaport = await deploySeaport(anvil);
		coin = seaport.tokens.coin;
	});
	afterAll(async () => {
		await anvil?.stop();
		await database?.drop();
	});
	beforeEach(async () => {
		lab = openBuyLab({ db: database.db, anvil, seaport });
		const chainOf = (id: number) => (id === CHAIN_ID ? (lab.chains.byId(id) ?? null) : null);
		lab.execution.register(
			transferKind({
				...{ clock: lab.clock, chainOf, rpcOf: lab.deps.rpcOf },
				tokens: lab.execution.tokens,
			}),
		);
		lab.prices.set({ chainId: CHAIN_ID, currency: coin, usd: 2 });
		by = await lab.buyer();
	});

	async function send(body: { amount: string; currency: string; recipients?: string[] }) {
		const { wallets, chains, deps, clock } = lab;
		const context = {
			...{ wallets, log: silentLog, newId: () => Bun.randomUUIDv7(), rpcOf: deps.rpcOf },
			chains: { ...chains, isServed: (id: number) => id === CHAIN_ID },
			ending: new AbortController().signal,
		};
		const app = testHttpApp({ clock, routes: [transferRoutes(context)] });
		const asked = { fromWalletId: by.wallet.id, recipients: [ANNA], chain: "anvil", ...body };
		const request = new Request("http://localhost/v1/trading/wallet-transfers", {
			method: "POST",
			headers: { authorization: `Bearer ${by.token}`, "content-type": "application/json" },
			body: JSON.stringify(asked),
		});
		const response = await app.handle(request);
		const answer = await response.json();
		if (response.status !== 202) throw answer;
		return createdTransfersSchema.parse(answer).transfers;
	}

	async function balanceOf(account: Address): Promise<bigint> {
		const data = encodeFunctionData({ abi: erc20Abi, functionName: "balanceOf", args: [account] });
		return BigInt(await anvil.rpc<string>("eth_call", [{ to: coin, data }, "latest"]));
	}

	test("each recipient gets exactly the amount, and it is spent to the base unit", async () => {
		const before = await balanceOf(by.wallet.address);
		const recipients = [ANNA, BERT];
		const made = await send({ amount: "1.000000000000000001", currency: coin, recipients });
		expect(made).toMatchObject([
			{ status: "submitted", currency: coin, amount: "1.000000000000000001" },
			{ status: "submitted", recipient: BERT, amountRaw: String(ETHER + 1n) },
		]);
		await lab.tick();
		await lab.tick();
		const page = await lab.execution.list(by.profile.id, { kinds: [TRANSFER], limit: 10 });
		expect(page.items.map(({ status }) => status)).toEqual(["confirmed", "confirmed"]);
		expect(await balanceOf(ANNA)).toBe(ETHER + 1n);
		expect(before - (await balanceOf(by.wallet.address))).toBe(2n * (ETHER + 1n));
		expect(lab.sent).toMatchObject([{ to: coin, valueRaw: 0n }, { to: coin }]);
		const [first] = page.items;
		if (!first) throw new Error("no transfer");
		expect(await lab.ledger(first)).toEqual({ reserve: 2_000_001, spend: 2_000_001 });
	});

	test("a batch that exceeds the balance is refused completely", async () => {
		const whole = await balanceOf(by.wallet.address);
		const most = String(whole / ETHER - 1n);
		const made = await send({ amount: most, currency: coin, recipients: [ANNA, BERT] });
		expect(made.map(({ status, errorCode }) => [status, errorCode])).toEqual([
			["rejected", expect.stringMatching(/balance_insufficient|limit/)],
			["rejected", expect.stringMatching(/balance_insufficient|limit/)],
		]);
		expect(lab.sent).toEqual([]);
	});

	test("a contract that is no token, a token without a price, and a symbol are refused", async () => {
		await expect(send({ amount: "1", currency: "USDG" })).rejects.toMatchObject({
			code: "validation_error",
		});
		await expect(send({ amount: "1", currency: ANNA })).rejects.toMatchObject({
			code: "currency_unreadable",
		});
		const recipients = [coin];
		await expect(send({ amount: "1", currency: coin, recipients })).rejects.toMatchObject({
			code: "validation_error",
		});
		expect(await send({ amount: "1", currency: seaport.tokens.otherCoin })).toMatchObject([
			{ status: "rejected", errorCode: "usd_rate_unavailable" },
		]);
	});

	/** A token of which the wallet has enough. */
	async function oddToken(isPriced = true): Promise<OddToken> {
		const token = await deployOddToken(anvil, `0x${"7e".repeat(20)}`);
		await token.become("honest");
		await token.mint(by.wallet.address, 1_000n * ETHER);
		if (isPriced) lab.prices.set({ chainId: CHAIN_ID, currency: token.address, usd: 2 });
		return token;
	}

	describe("a token that does not move the amount is not sent at all", () => {
		for (const [how, code] of [
			["movesNothing", "token_unsafe"],
			["takesDouble", "token_unsafe"],
			["keepsSome", "token_unsafe"],
			["honestFee", "token_unsafe"],
			["answersFalse", "simulation_failed"],
			["reverts", "simulation_failed"],
			["hidesBalances", "currency_unreadable"],
		] as const) {
			test(`${how}: ${code}`, async () => {
				const token = await oddToken();
				await token.become(how);
				expect(await send({ amount: "10", currency: token.address })).toMatchObject([
					{ status: "rejected", errorCode: code },
				]);
				expect(lab.sent).toEqual([]);
			});
		}

		test("a node that cannot simulate it: simulation_unavailable", async () => {
			const token = await oddToken();
			const { rpc } = lab;
			lab.state.rpc = {
				...rpc,
				settle: async (calls, options) => {
					const outcomes = await rpc.settle(calls, options);
					return outcomes.map((outcome, place) => {
						const fault = rpcFault.refused({ detail: "no overrides" });
						return calls[place]?.params.length === 3 && calls[place]?.method === "eth_call"
							? { kind: "fault", fault }
							: outcome;
					});
				},
			};
			expect(await send({ amount: "10", currency: token.address })).toMatchObject([
				{ status: "rejected", errorCode: "simulation_unavailable" },
			]);
		});
	});

	test("a token whose transfer returns no value, as some do, is sent", async () => {
		const token = await oddToken();
		await token.become("answersNothing");
		const before = await token.balanceOf(ANNA);
		await send({ amount: "10", currency: token.address });
		await lab.tick();
		expect(await token.balanceOf(ANNA)).toBe(before + 10n * ETHER);
		const { items } = await lab.execution.list(by.profile.id, { limit: 1 });
		expect(items).toMatchObject([{ status: "confirmed" }]);
	});

	describe("a token of a registry", () => {
		const POOL = `0x${"bb".repeat(20)}` as const;
		const DOLLAR = 1_000_000n;

		/** A token that no feed prices, in a registry that prices it so. */
		async function listedToken(price: TokenPrice | null): Promise<OddToken> {
			const token = await oddToken(false);
			lab.execution.tokens.register({
				chainId: CHAIN_ID,
				symbolOf: async (address) => (address === token.address ? "TSLA" : null),
				priceOf: async (address) => (address === token.address ? price : null),
				contractNamed: async (address) => {
					if (address === token.address) return "the contract of the token TSLA";
					return address === POOL ? "a pool of the exchange" : null;
				},
			});
			return token;
		}
		const unsure = { kind: "unsure", microsPerUnit: 3n * DOLLAR, askedMicrosMax: 50n * DOLLAR };

		test("a registry's token is sent with the registry's name, and counts at the registry's price", async () => {
			const token = await listedToken({ kind: "sure", microsPerUnit: 3n * DOLLAR });
			const [made] = await send({ amount: "10", currency: token.address });
			await lab.tick();
			const intent = await lab.execution.read(made?.id ?? "", by.profile.id);
			if (!intent) throw new Error("no transfer");
			expect(intent.status).toBe("confirmed");
			expect(await lab.ledger(intent)).toEqual({ reserve: 30_000_000, spend: 30_000_000 });
			expect(intent.plan?.shown["summary"]).toBe(
				`Sends 10 TSLA (${token.address}) to ${ANNA} on Anvil.`,
			);
		});

		test("limits count a registry's token at the registry's price", async () => {
			const token = await listedToken({ kind: "sure", microsPerUnit: 3n * DOLLAR });
			by = await lab.buyer({ perTradeUsdMax: 29n * DOLLAR });
			await token.mint(by.wallet.address, 1_000n * ETHER);
			expect(await send({ amount: "10", currency: token.address })).toMatchObject([
				{ status: "rejected", errorCode: "per_trade_limit" },
			]);
			expect(lab.sent).toEqual([]);
		});

		test("a token with an uncertain price is sent once its owner confirmed the figure", async () => {
			const token = await listedToken(unsure as TokenPrice);
			const [made] = await send({ amount: "10", currency: token.address });
			expect(made).toMatchObject({ status: "confirmation_required" });
			expect(made?.confirmUrl).toContain("/confirm/");
			expect(lab.sent).toEqual([]);
			const asked = await lab.execution.read(made?.id ?? "", by.profile.id);
			if (!asked?.planHash) throw new Error("nothing to say yes to");
			expect(asked.plan?.shown["summary"]).toContain("It counts as $30.");
			await lab.execution.approve(asked.id, asked.planHash);
			await lab.execution.advance([asked.id], new AbortController().signal);
			await lab.tick();
			expect((await lab.reread(asked)).status).toBe("confirmed");
			expect(await lab.ledger(asked)).toEqual({ reserve: 30_000_000, spend: 30_000_000 });
		});

		test("a token with an uncertain price is refused above the bound, for all recipients together", async () => {
			const token = await listedToken(unsure as TokenPrice);
			const recipients = [ANNA, BERT];
			const made = await send({ amount: "10", currency: token.address, recipients });
			expect(made.map(({ errorCode }) => errorCode)).toEqual(["price_unknown", "price_unknown"]);
			expect(lab.sent).toEqual([]);
		});

		test("a token without any price is refused", async () => {
			const token = await listedToken(null);
			expect(await send({ amount: "10", currency: token.address })).toMatchObject([
				{ status: "rejected", errorCode: "usd_rate_unavailable" },
			]);
		});

		test("a token or coin is not sent to a contract that cannot send it on", async () => {
			const token = await listedToken({ kind: "sure", microsPerUnit: DOLLAR });
			for (const currency of [token.address, coin, "ETH"]) {
				const recipients = [ANNA, POOL, ...(currency === token.address ? [] : [token.address])];
				await expect(send({ amount: "1", currency, recipients })).rejects.toMatchObject({
					code: "validation_error",
					issues: [
						{ path: "recipients.1", message: expect.stringContaining("is a pool of the exchange") },
						...(currency === token.address
							? []
							: [{ path: "recipients.2", message: expect.stringContaining("token TSLA") }]),
					],
				});
			}
			const { items } = await lab.execution.list(by.profile.id, { limit: 1 });
			expect(items).toEqual([]);
		});

		test("a token is sent to other contracts, such as smart wallets, and the answer says that it is one", async () => {
			const token = await listedToken({ kind: "sure", microsPerUnit: DOLLAR });
			const recipients = [seaport.address];
			const made = await send({ amount: "1", currency: token.address, recipients });
			expect(made).toMatchObject([{ status: "submitted", recipientIsContract: true }]);
		});
	});

	describe("a token that behaves honestly only in the simulation", () => {
		/** Sends ten of it, and returns the transfer once its receipt is judged. */
		async function slyly(how: keyof typeof ODD) {
			const token = await oddToken();
			await token.become(how, true);
			const [made] = await send({ amount: "10", currency: token.address });
			await lab.tick();
			await lab.tick();
			const intent = await lab.execution.read(made?.id ?? "", by.profile.id);
			if (!intent) throw new Error("no transfer");
			return intent;
		}

		for (const how of ["movesNothing", "takesDouble", "keepsSome", "logsNothing"] as const) {
			test(`${how}: is uncertain, its spend stays reserved, and operators are alerted`, async () => {
				const intent = await slyly(how);
				expect(intent).toMatchObject({ status: "uncertain", errorCode: "arrival_doubtful" });
				expect(await lab.ledger(intent)).toEqual({ reserve: 20_000_000 });
				// However often it is looked at, and once it is final: nobody is told to pay again.
				await anvil.rpc("anvil_mine", ["0x8"]);
				for (let look = 0; look < 3; look++) await lab.tick(60_000);
				expect((await lab.reread(intent)).status).toBe("uncertain");
				expect(await lab.flaws(intent)).toEqual([]);
				expect(await lab.waiting()).toContainEqual(
					expect.objectContaining({ id: intent.id, reason: "arrival_doubtful" }),
				);
			});
		}

		test("honestFee: has failed, because its own logs show it", async () => {
			const intent = await slyly("honestFee");
			expect(intent).toMatchObject({ status: "failed", errorCode: "partly_received" });
			expect(await lab.ledger(intent)).toEqual({ reserve: 20_000_000, spend: 20_000_000 });
		});

		test("answersFalse: has failed, and nothing arrived", async () => {
			const intent = await slyly("answersFalse");
			expect(intent).toMatchObject({ status: "failed", errorCode: "not_received" });
		});

		test("an operator's decision ends the uncertainty, either way, once", async () => {
			for (const [arrived, status, errorCode] of [
				[true, "confirmed", null],
				[false, "failed", "not_received"],
			] as const) {
				const intent = await slyly("movesNothing");
				expect(await lab.resolveArrival(intent, arrived)).toMatchObject({ status, errorCode });
				expect(await lab.ledger(intent)).toEqual({ reserve: 20_000_000, spend: 20_000_000 });
				expect(await lab.flaws(intent)).toEqual([]);
				await expect(lab.resolveArrival(intent, arrived)).rejects.toMatchObject({
					code: "intent_state",
				});
			}
		});
	});
});

describe("transferDenial", () => {
	const limits = {
		perTradeUsdMicros: 5n,
		walletNotionalUsdMicros: 5n,
		dailyUsdMicros: 15n,
		recipientCooldownMs: 60_000,
	};
	const situation = (more: Partial<SpendSituation> = {}): SpendSituation => ({
		usdMicros: 5n,
		spentTodayUsdMicros: 10n,
		limits,
		recipientKnownForMs: 60_000,
		...more,
	});

	test("[TRF-03] a recipient known for exactly the cooldown is paid; a millisecond less is too new", () => {
		expect(transferDenial(situation())).toBeNull();
		for (const recipientKnownForMs of [59_999, 0, null]) {
			const denial = transferDenial(situation({ recipientKnownForMs }));
			expect(denial?.code).toBe("recipient_cooldown");
		}
	});

	test("a new recipient is paid at once if there is no cooldown", () => {
		const open = { ...limits, recipientCooldownMs: 0 };
		expect(transferDenial(situation({ limits: open, recipientKnownForMs: 0 }))).toBeNull();
	});
});

describe("transferKind", () => {
	// Guarantee: a plan is exactly the requested payment, and nothing else.

	const chain = builtinChains.find(({ slug }) => slug === "robinhood");
	if (!chain) throw new Error("no such chain");
	const ANNA = `0x${"a1".repeat(20)}` as const;
	const NOW_MS = 1_000_000;
	const wallet: Wallet = {
		id: "w",
		profileId: "p",
		address: `0x${"9".repeat(40)}`,
		chainId: 4663,
		capability: "embedded/delegated",
		providerWalletId: "x",
		notionalUsdMax: null,
		revision: 1,
	};
	const profile: Profile = {
		id: "p",
		socialUserId: null,
		socialUsername: null,
		canonicalWalletId: null,
		requireTradeConfirmation: false,
		perTradeUsdMax: null,
		dailyUsdMax: null,
		revision: 1,
		wallets: [wallet],
	};
	const intent: Intent<TransferRequest> = {
		id: "0198a000-0000-7000-8000-000000000000",
		kind: "transfer",
		profileId: "p",
		walletId: "w",
		chainId: 4663,
		channel: "api",
		status: "created",
		errorCode: null,
		error: null,
		request: { recipient: ANNA, amountRaw: "250000000000000001" },
		plan: null,
		planHash: null,
		batchId: null,
		transactionHash: null,
		cancellation: null,
		asks: false,
		afterId: null,
		createdAtMs: NOW_MS,
		changedAtMs: NOW_MS,
		expiresAtMs: NOW_MS,
	};

	function prepare(more: { capability?: WalletCapability; isServed?: boolean } = {}) {
		const { isServed = true, capability = wallet.capability } = more;
		const chainOf = () => (isServed && chain ? chain : null);
		const kind = transferKind({
			...{ clock: { nowMs: () => NOW_MS }, chainOf, rpcOf: () => null },
			tokens: { priceOf: async () => null },
		});
		const context = {
			wallet: { ...wallet, capability },
			profile,
			outbound: () => Promise.reject(new Error("nothing is asked to plan")),
			signal: new AbortController().signal,
		};
		return kind.prepare(intent, context);
	}

	/** Returns the question of a plan, and what is shown for its answer. */
	async function questionOf(answer: unknown) {
		const prepared = await prepare();
		if (prepared.kind !== "plan" || !prepared.question) throw new Error("nothing is asked");
		return { call: prepared.question.call, told: prepared.question.shownBy(answer) };
	}

	test("[TRF-01] the plan pays the recipient, to the wei, and calls no contract", async () => {
		expect(await prepare()).toMatchObject({
			kind: "plan",
			plan: {
				chainId: 4663,
				from: wallet.address,
				to: ANNA,
				valueRaw: 250_000_000_000_000_001n,
				data: "0x",
				spend: {
					currency: `0x${"0".repeat(40)}`,
					raw: 250_000_000_000_000_001n,
					decimals: 18,
					symbol: "ETH",
				},
				recipient: ANNA,
				expiresAtMs: NOW_MS + PLAN_LIFETIME_MS,
			},
		});
		expect(await questionOf("0x")).toEqual({
			call: { method: "eth_getCode", params: [ANNA, "latest"] },
			told: {
				kind: "shown",
				shown: {
					action: "transfer",
					summary: `Sends 0.250000000000000001 ETH to ${ANNA} on Robinhood Chain.`,
					recipientIsContract: false,
				},
			},
		});
	});

	describe("a recipient", () => {
		for (const [code, isContract] of [
			["0x6001", true],
			[`0xef0100${"11".repeat(20)}`, false],
			[`0xEF0100${"11".repeat(20)}`, false],
		] as const) {
			test(`a recipient with the code ${code.slice(0, 10)} is ${isContract ? "a contract" : "an account"}`, async () => {
				const { told } = await questionOf(code);
				expect(told).toMatchObject({ shown: { recipientIsContract: isContract } });
			});
		}

		test("a recipient about which a node's answer is unreadable does not count as an account", async () => {
			for (const code of [null, "", "6001", 1]) {
				const { told } = await questionOf(code);
				expect(told).toMatchObject({ denial: { code: "chain_unavailable" } });
			}
		});
	});

	test("a wallet that may not send, or a chain that is not configured, is denied before any call", async () => {
		for (const [more, code] of [
			[{ capability: "disabled" }, "no_executable_wallet"],
			[{ capability: "review-required" }, "no_executable_wallet"],
			[{ isServed: false }, "chain_unavailable"],
		] as const) {
			expect(await prepare(more)).toMatchObject({ kind: "denied", denial: { code } });
		}
	});

	test("an invalid stored request is not read", () => {
		const kind = transferKind({
			...{ clock: { nowMs: () => NOW_MS }, chainOf: () => null, rpcOf: () => null },
			tokens: { priceOf: async () => null },
		});
		for (const bad of [
			{ recipient: ANNA, amountRaw: "0" },
			{ recipient: ANNA, amountRaw: "-1" },
			{ recipient: ANNA, amountRaw: "1e18" },
			{ recipient: ANNA.toUpperCase(), amountRaw: "1" },
			{ amountRaw: "1" },
			null,
		]) {
			expect(kind.request.safeParse(bad).success).toBe(false);
		}
	});

	test("a transfer of a wallet that is no longer linked is still shown", () => {
		const given = { profile: { ...profile, wallets: [] }, chainOf: () => undefined };
		expect(renderTransfer(intent, given)).toMatchObject({
			from: null,
			chain: "4663",
			amount: "0.250000000000000001",
			recipientIsContract: null,
			signUrl: null,
			confirmUrl: null,
			createdAt: "1970-01-01T00:16:40.000Z",
		});
	});

	test("a link is shown with its purpose, and only for a transfer that waits", () => {
		const given = { profile, chainOf: () => chain, questionUrl: "https://x/links/t" };
		const shown = (status: Intent["status"]) => renderTransfer({ ...intent, status }, given);
		expect(shown("signature_required")).toMatchObject({
			signUrl: "https://x/links/t",
			confirmUrl: null,
		});
		expect(shown("confirmation_required")).toMatchObject({
			signUrl: null,
			confirmUrl: "https://x/links/t",
		});
		expect(shown("submitted")).toMatchObject({ signUrl: null, confirmUrl: null });
	});

	test("a batch is asked with one link, and each signature with its own", async () => {
		let made = 0;
		const link = async () => {
			made++;
			return { url: `/links/${made}`, expiresAtMs: 0 };
		};
		const of = (status: Intent["status"]) => {
			return ["1", "2", "3"].map((id) => ({ ...intent, id, status }));
		};
		const confirming = await linksOf({ link }, of("confirmation_required"));
		expect(new Set(confirming.values())).toEqual(new Set(["/links/1"]));
		const signing = await linksOf({ link }, of("signature_required"));
		expect([...signing.values()]).toEqual(["/links/2", "/links/3", "/links/4"]);
		expect((await linksOf({ link }, of("submitted"))).size).toBe(0);
	});

	test("an intent of another kind, or an invalid id, is no transfer", async () => {
		const execution = { read: async () => ({ ...intent, kind: "nft_buy" }) };
		for (const id of [intent.id, "nonsense", ""]) {
			const own = ownTransfer({ execution } as never, { id, profileId: "p" });
			expect(await own.catch((fault) => fault.code)).toBe("not_found");
		}
	});
});
