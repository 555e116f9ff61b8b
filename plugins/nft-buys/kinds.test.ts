import { afterAll, beforeAll, beforeEach, describe, expect, test } from "bun:test";
import { type Address, encodeFunctionData, erc20Abi, numberToHex } from "viem";
import { createOfferKind } from "#plugins/nft-buys/kinds.ts";
import type { Intent, Wallet } from "#plugins/wallets/contract.ts";
import { type Anvil, startAnvil } from "#test/harness/anvil.ts";
import { type BuyLab, ETHER, openBuyLab } from "#test/harness/openBuyLab.ts";
import { deploySeaport, type SeaportChain } from "#test/harness/seaport.ts";
import { createTestDatabase, type TestDatabase } from "#test/harness/testDatabase.ts";

describe("createBuyKind", () => {
	let database: TestDatabase;
	let anvil: Anvil;
	let seaport: SeaportChain;
	let lab: BuyLab;

	beforeAll(async () => {
		[database, anvil] = await Promise.all([createTestDatabase(), startAnvil()]);
		seaport = await deploySeaport(anvil);
	});
	afterAll(async () => {
		await anvil.stop();
		await database.drop();
	});
	beforeEach(() => {
		lab = openBuyLab({ db: database.db, anvil, seaport });
	});

	const latest = async () => numberToHex(Number(await anvil.rpc<string>("eth_blockNumber")));
	const owner = async (id: bigint) => seaport.ownerOf(id, await latest());

	/** Expects a refusal: nothing handed over, nothing reserved. */
	async function expectRefused(intent: Intent, errorCode: string) {
		expect({ status: intent.status, errorCode: intent.errorCode }).toEqual({
			status: "rejected",
			errorCode,
		});
		expect(lab.sent).toEqual([]);
		expect(await lab.ledger(intent)).toEqual({});
	}

	describe("a buy that succeeds", () => {
		test("[NFT-02] [NFT-03] a buy pays exactly the price, once, and settles on ownership", async () => {
			const buyer = await lab.buyer();
			const listed = await lab.list({ ether: 2n * ETHER });
			lab.serve(listed);
			const intent = await lab.buy(buyer, listed);
			expect(intent).toMatchObject({ status: "submitted", errorCode: null });
			await lab.tick();
			expect(await lab.reread(intent)).toMatchObject({ status: "confirmed", errorCode: null });
			expect(await owner(listed.listing.tokenId ?? 0n)).toBe(buyer.wallet.address);
			expect(lab.sent).toMatchObject([{ valueRaw: 2n * ETHER, to: seaport.address }]);
			expect(await lab.ledger(intent)).toEqual({ reserve: 4_000_000_000, spend: 4_000_000_000 });
			expect(intent.plan?.shown).toMatchObject({
				summary:
					`Buys ${listed.listing.contract} #${listed.listing.tokenId} for 2 ETH ` +
					"from the Seaport marketplace on Anvil.",
				seller: seaport.accounts[2],
				standard: "erc721",
				quantity: "1",
				function: "fulfillBasicOrder_efficient_6GL6yc",
				pays: { amountRaw: String(2n * ETHER), symbol: "ETH", decimals: 18 },
				payments: [{ recipient: seaport.accounts[2] }, { recipient: seaport.accounts[7] }],
			});
			expect(lab.steps).toEqual([
				"nft_buy.collection",
				"nft_buy.listing",
				"nft_buy.order_state",
				"nft_buy.fulfilment",
				"nft_buy.ownership",
			]);
			expect(lab.fake.callsOf("listingFulfilment")).toMatchObject([
				{ purpose: "request", args: [{ units: 1n, fulfiller: buyer.wallet.address }] },
			]);
		});

		test("a named listing is bought at its own price, without another limit", async () => {
			const buyer = await lab.buyer();
			const listed = await lab.list();
			lab.serve(listed);
			const { orderHash } = listed;
			const intent = await lab.buy(buyer, listed, { orderHash, priceLimitRaw: null });
			await lab.tick();
			expect((await lab.reread(intent)).status).toBe("confirmed");
			expect(lab.fake.callsOf("bestListing")).toEqual([]);
		});

		test("a part of an ERC-1155 listing is bought by the advanced function", async () => {
			const buyer = await lab.buyer();
			const id = await seaport.mintMulti(seaport.accounts[2]!, 10n);
			const listed = await lab.list({
				token: { itemType: 3, contract: seaport.tokens.multi, id, units: 10n },
			});
			lab.serve(listed);
			const intent = await lab.buy(buyer, listed, { quantity: "3" });
			expect(intent).toMatchObject({ status: "submitted", errorCode: null });
			await lab.tick();
			expect((await lab.reread(intent)).status).toBe("confirmed");
			const balance = { owner: buyer.wallet.address, id };
			expect(await seaport.multiBalance(balance, await latest())).toBe(3n);
			expect(lab.sent[0]?.valueRaw).toBe((3n * ETHER) / 10n);
		});

		test("of a listing that others filled in part the rest is bought, at exactly its price", async () => {
			const buyer = await lab.buyer();
			const id = await seaport.mintMulti(seaport.accounts[2]!, 10n);
			const listed = await lab.list({
				token: { itemType: 3, contract: seaport.tokens.multi, id, units: 10n },
			});
			lab.serve(listed);
			lab.state.beforeSend = async () => {
				const part = { order: listed.order, numerator: 6n, denominator: 10n };
				const from = seaport.accounts[4]!;
				await seaport.fulfillAdvancedOrder(part, { from, value: ETHER });
			};
			const intent = await lab.buy(buyer, listed, { quantity: "8" });
			lab.state.beforeSend = async () => {};
			await lab.tick();
			expect(await lab.reread(intent)).toMatchObject({
				status: "failed",
				errorCode: "partly_received",
			});
			const balance = { owner: buyer.wallet.address, id };
			expect(await seaport.multiBalance(balance, await latest())).toBe(4n);
			// 8 of 10 for 0.8 ether of 2,000 dollars were reserved; 4 were left.
			expect(await lab.ledger(intent)).toEqual({
				reserve: 1_600_000_000,
				spend: 800_000_000,
				release: 800_000_000,
			});
		});

		test("a listing in an ERC-20 is bought in two steps: first an allowance of exactly its price", async () => {
			const buyer = await lab.buyer({ account: 6, requireTradeConfirmation: true });
			const currency = seaport.tokens.coin;
			const args = [seaport.address, 0n] as const;
			const data = encodeFunctionData({ abi: erc20Abi, functionName: "approve", args });
			await seaport.send({ from: buyer.wallet.address, to: currency, data });
			lab.prices.set({ chainId: 31_337, currency, usd: 2 });
			const price = 30n * ETHER;
			const payments = [{ recipient: seaport.accounts[2]!, raw: price }];
			const listed = await lab.list({ currency, payments });
			lab.serve(withoutConduit(listed));
			const intent = await lab.buy(buyer, listed, { priceLimitRaw: String(ETHER) });
			expect(intent.status).toBe("waiting");
			const step = await lab.execution.asking(intent);
			expect(step).toMatchObject({ kind: "allowance", status: "confirmation_required" });
			expect(step.plan?.shown["summary"]).toContain("exactly that price once, and then: Buys");
			await lab.execution.approve(step.id, step.planHash ?? "0x");
			await lab.execution.advance([step.id], new AbortController().signal);
			const allowed = [seaport.address, price] as const;
			const approval = encodeFunctionData({
				abi: erc20Abi,
				functionName: "approve",
				args: allowed,
			});
			expect(lab.sent).toMatchObject([{ to: currency, data: approval, valueRaw: 0n }]);
			await lab.tick();
			await lab.tick();
			await lab.tick();
			expect((await lab.reread(intent)).status).toBe("confirmed");
			expect(await allowanceOf(buyer.wallet.address)).toBe(0n);
			expect(lab.sent).toHaveLength(2);
			expect(await lab.ledger(step)).toEqual({ reserve: 0, spend: 0 });
			expect(await lab.ledger(intent)).toEqual({ reserve: 60_000_000, spend: 60_000_000 });
		});

		test("a listing in an ERC-20 is bought in one step if the allowance exists", async () => {
			const buyer = await lab.buyer();
			lab.prices.set({ chainId: 31_337, currency: seaport.tokens.coin, usd: 2 });
			const price = 300n * ETHER;
			const payments = [{ recipient: seaport.accounts[2]!, raw: price }];
			const listed = await lab.list({ currency: seaport.tokens.coin, payments });
			lab.serve(withoutConduit(listed));
			const before = await coinsOf(buyer.wallet.address);
			// 300 coins of 2 dollars are 0.3 ether of 2,000.
			const intent = await lab.buy(buyer, listed, { priceLimitRaw: String((3n * ETHER) / 10n) });
			expect(intent).toMatchObject({ status: "submitted", errorCode: null });
			await lab.tick();
			expect((await lab.reread(intent)).status).toBe("confirmed");
			expect(lab.sent[0]?.valueRaw).toBe(0n);
			expect(before - (await coinsOf(buyer.wallet.address))).toBe(price);
			expect(await lab.ledger(intent)).toEqual({ reserve: 600_000_000, spend: 600_000_000 });
		});
	});

	/** Lists for a node without the provider's conduit: the marketplace itself takes the coins. */
	function withoutConduit(listed: Awaited<ReturnType<BuyLab["list"]>>) {
		return {
			...listed,
			fulfilment(units?: bigint) {
				const answer = structuredClone(listed.fulfilment(units));
				const parameters = answer.transaction.inputData.parameters as Record<string, unknown>;
				parameters.fulfillerConduitKey = `0x${"0".repeat(64)}`;
				return answer;
			},
		};
	}

	async function allowanceOf(account: Address): Promise<bigint> {
		const args = [account, seaport.address] as const;
		const data = encodeFunctionData({ abi: erc20Abi, functionName: "allowance", args });
		const call = { to: seaport.tokens.coin, data };
		return BigInt(await anvil.rpc<string>("eth_call", [call, "latest"]));
	}

	async function coinsOf(account: string): Promise<bigint> {
		const data = `0x70a08231${account.slice(2).padStart(64, "0")}`;
		const call = { to: seaport.tokens.coin, data };
		return BigInt(await anvil.rpc<string>("eth_call", [call, "latest"]));
	}

	describe("a refused buy signs nothing and reserves nothing", () => {
		test("[NFT-03] a price above the limit, by one unit, before a fulfilment is requested", async () => {
			const listed = await lab.list();
			lab.serve(listed);
			const buyer = await lab.buyer();
			const limit = { priceLimitRaw: String(ETHER - 1n) };
			await expectRefused(await lab.buy(buyer, listed, limit), "price_limit_exceeded");
			expect(lab.fake.callsOf("listingFulfilment")).toEqual([]);
			const exact = await lab.buy(buyer, listed, { priceLimitRaw: String(ETHER) });
			expect(exact.status).toBe("submitted");
		});

		test("a price that changed between the order book and the fulfilment", async () => {
			const listed = await lab.list();
			const dearer = await lab.list({
				token: { itemType: 2, contract: seaport.tokens.nft, id: listed.listing.tokenId ?? 0n },
				ether: 3n * ETHER,
			});
			lab.serve(listed);
			lab.fake.answers.listingFulfilment = async ({ units }) => dearer.fulfilment(units);
			await expectRefused(await lab.buy(await lab.buyer(), listed), "fulfilment_mismatch");
		});

		test("a token that was sold meanwhile: the chain knows before the provider does", async () => {
			const listed = await lab.list();
			lab.serve(listed);
			const value = ETHER;
			await seaport.fulfillBasicOrder(listed.order, { from: seaport.accounts[3]!, value });
			await expectRefused(await lab.buy(await lab.buyer(), listed), "listing_gone");
			expect(lab.fake.callsOf("listingFulfilment")).toEqual([]);
		});

		test("a seller who no longer has the token", async () => {
			const buyer = await lab.buyer();
			const listed = await lab.list();
			lab.serve(listed);
			const other = await lab.list({
				token: { itemType: 2, contract: seaport.tokens.nft, id: listed.listing.tokenId ?? 0n },
			});
			const from = seaport.accounts[4]!;
			await seaport.fulfillBasicOrder(other.order, { from, value: ETHER });
			await expectRefused(await lab.buy(buyer, listed), "simulation_failed");
		});

		test("a listing that is void by the seller's counter", async () => {
			const listed = await lab.list({ seller: 5, counter: 7n });
			lab.serve(listed);
			await expectRefused(await lab.buy(await lab.buyer(), listed), "listing_gone");
		});

		test("a signature of somebody else, even if the provider repeats it", async () => {
			const listed = await lab.list();
			const last = listed.order.signature.slice(-4, -2);
			const forged = `${listed.order.signature.slice(0, -4)}${last === "00" ? "01" : "00"}1b`;
			lab.serve(listed);
			lab.fake.answers.listingFulfilment = async () => {
				const answer = listed.fulfilment();
				const text = JSON.stringify(answer, (_, value) =>
					typeof value === "bigint" ? `${value}n` : value,
				).replaceAll(listed.order.signature, forged);
				const { transaction, orders } = JSON.parse(text);
				return { ...answer, transaction: { ...transaction, valueRaw: ETHER }, orders };
			};
			await expectRefused(await lab.buy(await lab.buyer(), listed), "simulation_failed");
		});

		test("an ERC-20 price without a rate or without the balance", async () => {
			const currency = seaport.tokens.coin;
			const payments = [{ recipient: seaport.accounts[2]!, raw: 10_000n * ETHER }];
			const listed = await lab.list({ currency, payments });
			lab.serve(listed);
			const buyer = await lab.buyer();
			await expectRefused(await lab.buy(buyer, listed), "usd_rate_unavailable");
			lab.prices.set({ chainId: 31_337, currency, usd: 0.01 });
			await expectRefused(await lab.buy(buyer, listed), "balance_insufficient");
		});

		test("[NFT-01] a buy above each dollar limit is refused with that limit's own code", async () => {
			const listed = await lab.list();
			lab.serve(listed);
			const dollar = 1_000_000n;
			const perTrade = await lab.buyer({ perTradeUsdMax: 1_999n * dollar });
			await expectRefused(await lab.buy(perTrade, listed), "per_trade_limit");
			const notional = await lab.buyer({ notionalUsdMax: 1_999n * dollar });
			await expectRefused(await lab.buy(notional, listed), "wallet_notional_limit");
			const daily = await lab.buyer({ dailyUsdMax: 1_999n * dollar });
			await expectRefused(await lab.buy(daily, listed), "daily_limit");
			lab.prices.setEth(null);
			await expectRefused(await lab.buy(await lab.buyer(), listed), "usd_rate_unavailable");
		});

		test("a provider that is throttled, down, or answers a web page, which is asked once", async () => {
			const listed = await lab.list();
			const buyer = await lab.buyer();
			const { rateLimited, unavailable, unreadable, refused } = lab.fake.faults;
			for (const fault of [rateLimited(), unavailable(), unreadable(), refused()]) {
				for (const method of ["slugOf", "bestListing", "listingFulfilment"] as const) {
					lab.serve(listed);
					lab.fake.fail(method, fault);
					const before = lab.fake.callsOf(method).length;
					await expectRefused(await lab.buy(buyer, listed), fault.code);
					expect(lab.fake.callsOf(method).length - before).toBe(1);
					lab.fake.fail(method, null);
				}
			}
		});

		test("a chain that is not configured, or has no marketplace", async () => {
			const listed = await lab.list();
			lab.serve(listed);
			const buyer = await lab.buyer();
			const { rpc } = lab;
			lab.state.rpc = { ...rpc, batch: async (calls) => calls.map(() => "0x") };
			await expectRefused(await lab.buy(buyer, listed), "chain_unavailable");
			lab.state.rpc = null;
			await expectRefused(await lab.buy(buyer, listed), "chain_unavailable");
		});

		test("a buy of nothing for sale, of another token, or without the money is refused", async () => {
			const buyer = await lab.buyer();
			const listed = await lab.list();
			await expectRefused(await lab.buy(buyer, listed), "listing_not_found");
			lab.serve(listed);
			const other = { tokenId: String((listed.listing.tokenId ?? 0n) + 1n) };
			await expectRefused(await lab.buy(buyer, listed, other), "listing_mismatch");
			for (const capability of ["disabled", "review-required"] as const) {
				const barred = await lab.buyer({ capability });
				await expectRefused(await lab.buy(barred, listed), "no_executable_wallet");
			}
		});
	});

	describe("a buy that is mined without the token", () => {
		test("a buy that paid without getting the token fails as not_received", async () => {
			const buyer = await lab.buyer();
			const listed = await lab.list();
			lab.serve(listed);
			const intent = await lab.buy(buyer, listed);
			// The node reports another owner in that block.
			const stranger = `0x${"9".repeat(64)}`;
			const { rpc } = lab;
			lab.state.rpc = {
				...rpc,
				settle: async (calls, options) =>
					calls[0]?.method === "eth_call"
						? [{ kind: "result", result: stranger }]
						: rpc.settle(calls, options),
			};
			await lab.tick();
			expect(await lab.reread(intent)).toMatchObject({
				status: "failed",
				errorCode: "not_received",
			});
			expect(Object.keys(await lab.ledger(intent)).sort()).toEqual(["reserve", "spend"]);
		});

		test("a buy that reverts fails, spends nothing, and is not sent again", async () => {
			const buyer = await lab.buyer();
			const listed = await lab.list();
			lab.serve(listed);
			// Another buyer is faster, between the simulation and the block.
			lab.state.beforeSend = async () => {
				const from = seaport.accounts[3]!;
				await seaport.fulfillBasicOrder(listed.order, { from, value: ETHER });
			};
			const intent = await lab.buy(buyer, listed);
			await lab.tick();
			// A later block confirms it.
			await anvil.rpc("evm_mine");
			await lab.tick(5_000);
			expect((await lab.reread(intent)).status).toBe("failed");
			expect(await lab.ledger(intent)).toMatchObject({ release: 2_000_000_000 });
			expect(lab.sent).toHaveLength(1);
		});
	});

	test("[NFT-02] three buys of one ERC-1155 listing in a block each settle by their own receipt", async () => {
		const buyer = await lab.buyer();
		const id = await seaport.mintMulti(seaport.accounts[2]!, 3n);
		const listed = await lab.list({
			ether: 3n * ETHER,
			token: { itemType: 3, contract: seaport.tokens.multi, id, units: 3n },
		});
		lab.serve(listed);
		const balance = { owner: buyer.wallet.address, id };
		const heldBefore = await seaport.multiBalance(balance, await latest());
		await anvil.rpc("evm_setAutomine", [false]);
		const intents: Intent[] = [];
		for (const quantity of ["1", "1", "2"]) {
			intents.push(await lab.buy(buyer, listed, { quantity }));
		}
		await anvil.rpc("evm_mine");
		await anvil.rpc("evm_setAutomine", [true]);
		await lab.tick();
		const settled = await Promise.all(intents.map((intent) => lab.reread(intent)));
		expect(settled.map(({ status, errorCode }) => [status, errorCode])).toEqual([
			["confirmed", null],
			["confirmed", null],
			["failed", "partly_received"],
		]);
		expect(await seaport.multiBalance(balance, await latest())).toBe(heldBefore + 3n);
		// Only what was paid counts.
		const spent = await Promise.all(settled.map((intent) => lab.ledger(intent)));
		const [one] = spent;
		expect(spent[2]?.spend).toBe(one?.spend);
	});

	describe("a buy that asks its owner first", () => {
		test("a confirmed buy is planned again and sent if it is still the same or cheaper", async () => {
			const buyer = await lab.buyer({ requireTradeConfirmation: true });
			const listed = await lab.list();
			lab.serve(listed);
			const asked = await lab.buy(buyer, listed);
			expect(asked.status).toBe("confirmation_required");
			expect(lab.sent).toEqual([]);
			await lab.execution.approve(asked.id, asked.planHash ?? "0x");
			const [done] = await lab.execution.advance([asked.id], new AbortController().signal);
			expect(done).toMatchObject({ status: "submitted", errorCode: null });
			expect(lab.sent).toHaveLength(1);
		});

		test("an external wallet gets the plan and signs itself; the service sends nothing", async () => {
			const buyer = await lab.buyer({ capability: "external/manual" });
			const listed = await lab.list();
			lab.serve(listed);
			const asked = await lab.buy(buyer, listed);
			expect(asked.status).toBe("signature_required");
			expect(asked.plan?.to).toBe(seaport.address);
			expect(lab.sent).toEqual([]);
		});
	});
});

describe("createOfferKind", () => {
	test("[NFT-02] an offer is refused with its code, and no other system is called", async () => {
		const kind = createOfferKind();
		const asked: string[] = [];
		const prepared = await kind.prepare({} as Intent<never>, {
			wallet: {} as Wallet,
			profile: {} as never,
			outbound: (step, call) => {
				asked.push(step);
				return call();
			},
			signal: new AbortController().signal,
		});
		expect(prepared).toMatchObject({
			kind: "denied",
			denial: { code: "provider_offer_requires_local_order_builder" },
		});
		expect(asked).toEqual([]);
		expect(kind.steps).toEqual([]);
	});
});
