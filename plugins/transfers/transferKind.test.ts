import { afterAll, beforeAll, beforeEach, describe, expect, test } from "bun:test";
import { type Address, encodeFunctionData, erc20Abi } from "viem";
import { builtinChains } from "#core/chain/builtinChains.ts";
import { silentLog } from "#core/log.ts";
import { ownTransfer, sendTransfers } from "#plugins/transfers/sendTransfers.ts";
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
	Wallet,
	WalletCapability,
} from "#plugins/wallets/contract.ts";
import { type Anvil, startAnvil } from "#test/harness/anvil.ts";
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
		lab.execution.register(transferKind({ clock: lab.clock, chainOf }));
		lab.prices.set({ chainId: CHAIN_ID, currency: coin, usd: 2 });
		by = await lab.buyer();
	});

	async function send(body: { amount: string; currency: string; recipients?: string[] }) {
		const { wallets, chains, deps } = lab;
		const served = { ...chains, isServed: (id: number) => id === CHAIN_ID };
		const ending = new AbortController().signal;
		const newId = () => Bun.randomUUIDv7();
		const context = { wallets, log: silentLog, chains: served, rpcOf: deps.rpcOf, newId, ending };
		const response = await sendTransfers(context, {
			...{ principal: { profile: by.profile, sessionId: null }, idempotencyKey: null },
			...{ route: "test", channel: "api", asks: false },
			body: { fromWalletId: by.wallet.id, recipients: [ANNA], chain: "anvil", ...body },
		});
		return createdTransfersSchema.parse(await response.json()).transfers;
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

	test("a token with a transfer fee is noticed by its own logs, and the money counts as spent", async () => {
		const { settle } = transferKind({ clock: lab.clock, chainOf: () => null });
		const word = (value: string) => `0x${value.slice(2).padStart(64, "0")}` as const;
		const topic = "0xddf252ad1be2c89b69c2b068fc378daa952ba7f163c4a11628f55a4df523b3ef" as const;
		const token = { address: coin, symbol: coin, decimals: 18 };
		const request = { recipient: ANNA, amountRaw: "100", coin: token, togetherRaw: "100" };
		const arrives = async (logged: bigint | null, from: Address = by.wallet.address) => {
			const data = word(`0x${(logged ?? 0n).toString(16)}`);
			const log = { address: coin, topics: [topic, word(from), word(ANNA)], data };
			const receipt = {
				...{ transactionHash: word("0x1"), blockNumber: 1, blockHash: word("0x2") },
				...{ succeeded: true, logs: logged === null ? [] : [log] },
			};
			const signal = new AbortController().signal;
			const outbound = async <Result>(_: string, call: () => Promise<Result>) => call();
			const context = { wallet: by.wallet, outbound, signal };
			const settled = await settle({ request } as never, receipt, context);
			return settled && "code" in settled ? settled.code : settled;
		};
		expect(await arrives(100n)).toBeNull();
		expect(await arrives(99n)).toBe("partly_received");
		expect(await arrives(null)).toBe("not_received");
		expect(await arrives(100n, BERT)).toBe("not_received");
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

	test("[TRF-03] whoever is known for exactly so long is paid; a millisecond less is too new", () => {
		expect(transferDenial(situation())).toBeNull();
		for (const recipientKnownForMs of [59_999, 0, null]) {
			const denial = transferDenial(situation({ recipientKnownForMs }));
			expect(denial?.code).toBe("recipient_cooldown");
		}
	});

	test("without a cooldown a stranger is paid at once", () => {
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
		const kind = transferKind({ clock: { nowMs: () => NOW_MS }, chainOf });
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
			test(`with the code ${code.slice(0, 10)} is ${isContract ? "a contract" : "an account"}`, async () => {
				const { told } = await questionOf(code);
				expect(told).toMatchObject({ shown: { recipientIsContract: isContract } });
			});
		}

		test("about which a node's answer is unreadable is not taken for an account", async () => {
			for (const code of [null, "", "6001", 1]) {
				const { told } = await questionOf(code);
				expect(told).toMatchObject({ denial: { code: "chain_unavailable" } });
			}
		});
	});

	test("a wallet that may not send, or a chain that is not served, is denied before any call", async () => {
		for (const [more, code] of [
			[{ capability: "disabled" }, "no_executable_wallet"],
			[{ capability: "review-required" }, "no_executable_wallet"],
			[{ isServed: false }, "chain_unavailable"],
		] as const) {
			expect(await prepare(more)).toMatchObject({ kind: "denied", denial: { code } });
		}
	});

	test("an invalid stored request is not read", () => {
		const kind = transferKind({ clock: { nowMs: () => NOW_MS }, chainOf: () => null });
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

	test("an intent of another kind, or an id that is none, is no transfer", async () => {
		const execution = { read: async () => ({ ...intent, kind: "nft_buy" }) };
		for (const id of [intent.id, "nonsense", ""]) {
			const own = ownTransfer({ execution } as never, { id, profileId: "p" });
			expect(await own.catch((fault) => fault.code)).toBe("not_found");
		}
	});
});
