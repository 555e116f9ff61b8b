import { afterAll, beforeAll, beforeEach, describe, expect, test } from "bun:test";
import { databaseBudget } from "#core/budget/databaseBudget.ts";
import { builtinChains } from "#core/chain/builtinChains.ts";
import { createChainRegistry } from "#core/chain/Chain.ts";
import type { Address, Hex } from "#core/chain/Hex.ts";
import { systemClock } from "#core/clock.ts";
import { silentLog } from "#core/log.ts";
import { createMetrics } from "#core/metrics.ts";
import { DAY_MS } from "#core/time.ts";
import type { ProviderPurpose } from "#plugins/provider/contract.ts";
import { createProvider, offStream } from "#plugins/provider/createProvider.ts";
import { providerLab } from "#plugins/provider/testing/providerLab.ts";
import { rows } from "#plugins/provider/testing/rows.ts";
import { createTestDatabase, type TestDatabase } from "#test/harness/testDatabase.ts";

describe("createProvider.minute", () => {
	// Guarantee: whatever is asked for in however many processes, the provider's server sees at most
	// 120 calls in any minute, 250 ms apart from each process, and each purpose has its share of
	// them.

	/** A minute, less the time that statements may take: that is the database's. */
	const SPAN_MS = 55_000;

	type Sent = { process: string; atMs: number };

	let database: TestDatabase;
	beforeAll(async () => {
		database = await createTestDatabase();
	});
	beforeEach(() => database.db.execute("truncate core.budget"));
	afterAll(() => database.drop());

	/**
	 * Opens processes on one database without Redis, whose clocks are a day apart, and the server
	 * that they call. Time passes only where a process waits, for all of them and the database.
	 */
	function deployment(processes: number) {
		const time = { aheadMs: 0 };
		const beganMs = systemClock.nowMs();
		const sent: Sent[] = [];
		const server = Bun.serve({
			port: 0,
			hostname: "127.0.0.1",
			fetch(request) {
				const process = request.headers.get("x-process") ?? "";
				sent.push({ process, atMs: time.aheadMs });
				return Response.json({ results: [], collections: [] });
			},
		});
		const { db } = database;
		const providers = Array.from({ length: processes }, (_, process) => {
			const clock = { nowMs: () => 1_000_000_000_000 + process * DAY_MS + time.aheadMs };
			const aheadMs = () => Math.round(beganMs + time.aheadMs - systemClock.nowMs());
			return createProvider({
				core: {
					clock,
					log: silentLog,
					metrics: createMetrics(),
					budget: databaseBudget({ db, clock, log: silentLog, aheadMs, timeoutMs: 30_000 }),
					chains: createChainRegistry(builtinChains),
				},
				baseUrl: `http://127.0.0.1:${server.port}`,
				stream: offStream,
				fetch: Object.assign(
					(url: Parameters<typeof fetch>[0], init?: RequestInit) => {
						const headers = new Headers(init?.headers);
						headers.set("x-process", String(process));
						return fetch(url, { ...init, headers });
					},
					{ preconnect: fetch.preconnect },
				),
				wait: async (ms) => {
					time.aheadMs += ms;
				},
			});
		});
		return { time, sent, providers, [Symbol.dispose]: () => void server.stop(true) };
	}

	type Deployment = ReturnType<typeof deployment>;

	/**
	 * Sends calls of a purpose from the processes in turn, until one is refused; returns how many
	 * were sent.
	 */
	async function untilRefused(
		{ providers }: Deployment,
		purpose: ProviderPurpose,
	): Promise<number> {
		for (let calls = 0; ; calls++) {
			const provider = providers[calls % providers.length];
			const refused = await provider?.top({ purpose }).then(
				() => null,
				(fault) => fault,
			);
			if (!refused) continue;
			expect(refused).toMatchObject({ code: "rate_limited", meta: { refusedBy: "pace" } });
			return calls;
		}
	}

	/** Returns the most calls in any such span. */
	function busiestSpan(sent: readonly Sent[]): number {
		return Math.max(
			...sent.map(({ atMs: from }) => {
				return sent.filter(({ atMs }) => atMs >= from && atMs < from + SPAN_MS).length;
			}),
		);
	}

	test("[MRG-08] processes on one database without Redis share the limit of 120 calls in any minute", async () => {
		using run = deployment(3);
		const { time, sent } = run;
		for (let minute = 0; minute < 6; minute++) {
			for (const purpose of ["endless", "background", "search", "view", "request"] as const) {
				await untilRefused(run, purpose);
			}
			time.aheadMs += 20_000 + minute * 7_000;
		}
		expect(sent.length).toBeGreaterThan(240);
		expect(busiestSpan(sent)).toBe(120);
		for (const process of ["0", "1", "2"]) {
			const own = sent.filter((one) => one.process === process).map(({ atMs }) => atMs);
			const distances = own.slice(1).map((atMs, at) => atMs - (own[at] ?? 0));
			expect(Math.min(...distances)).toBeGreaterThanOrEqual(250);
		}
	});

	test("[MRG-08] the background of all processes leaves the last 20 calls to clients, and is refused at once", async () => {
		using run = deployment(2);
		const { sent } = run;
		const background = await untilRefused(run, "background");
		const endless = await untilRefused(run, "endless");
		expect(background + endless).toBe(100);
		expect(sent).toHaveLength(100);
		expect(await untilRefused(run, "view")).toBe(10);
		expect(await untilRefused(run, "request")).toBe(10);
		expect(sent).toHaveLength(120);
	});

	test("a client that keeps searching for new words, in every process, gets 15 calls of a minute", async () => {
		using run = deployment(2);
		const { sent, providers } = run;
		for (let word = 0; word < 120; word++) {
			const searching = providers[word % 2]?.search(`word ${word}`, { purpose: "search" });
			await searching?.catch(() => []);
		}
		expect(sent).toHaveLength(15);
		expect((await untilRefused(run, "background")) + (await untilRefused(run, "endless"))).toBe(85);
	});
});

describe("createProvider", () => {
	const request = { purpose: "request" } as const;
	const CAT: Address = "0x00000000000000000000000000000000000000c1";
	const ALICE: Address = "0x00000000000000000000000000000000000000a1";
	const SEAPORT: Address = "0x0000000000000068f116a894984e2db1123eb395";
	const HASH: Hex = `0x${"ab".repeat(32)}`;

	/** Answers every call with one body, and returns the answer with the requests. */
	async function asked<Answer>(
		body: unknown,
		call: (provider: ReturnType<typeof providerLab>["provider"]) => Promise<Answer>,
	) {
		using lab = providerLab(() => Response.json(body));
		const answer = await call(lab.provider);
		const sent = lab.seen[0];
		return {
			answer,
			url: decodeURIComponent(`${sent?.path}${sent?.query}`),
			body: sent?.body ? JSON.parse(sent.body) : null,
			path: sent?.path,
			lines: lab.lines,
		};
	}

	describe("lists of collections", () => {
		const body = { collections: [rows.collection()], next: "abc" };

		test("[MRG-06] the newest are requested first, on a chain in the provider's spelling", async () => {
			const { url, answer } = await asked(body, (provider) =>
				provider.newest({ ...request, chainId: 33_139, cursor: "x+y=", limit: 20 }),
			);
			expect(url).toBe(
				"/api/v2/collections?order_by=created_date&chain=ape_chain&limit=20&next=x+y=",
			);
			expect(answer.cursor).toBe("abc");
			expect(answer.items[0]).toEqual({
				slug: "cats",
				name: "Cats",
				description: "Many cats.",
				imageUrl: "https://img.example/cats.png",
				bannerImageUrl: "https://img.example/banner.png",
				projectUrl: "https://cats.example",
				isDisabled: false,
				safelistStatus: "verified",
				contracts: [{ chainId: 8453, address: CAT }],
				raw: rows.collection(),
			});
		});

		test("trending and top are paged with `cursor`, and request the largest page", async () => {
			const trending = await asked(body, (provider) =>
				provider.trending({ ...request, chainId: 988, timeframe: "one_hour", limit: 1_000 }),
			);
			expect(trending.url).toBe(
				"/api/v2/collections/trending?chains=stablechain&timeframe=one_hour&limit=100",
			);
			const top = await asked(body, (provider) => provider.top({ ...request, cursor: "c" }));
			expect(top.url).toBe("/api/v2/collections/top?cursor=c&sort_by=one_day_volume&limit=50");
		});

		test("a missing cursor and an empty one end the list", async () => {
			for (const next of ["", undefined, null, false]) {
				const { answer } = await asked({ ...body, next }, (provider) =>
					provider.top({ ...request, cursor: "same" }),
				);
				expect(answer.cursor).toBeNull();
				expect(answer.isBroken).toBeUndefined();
			}
		});

		test("a cursor that leads to itself, or is unreadable, does not end the list but breaks it", async () => {
			for (const next of ["same", 7, {}, "x".repeat(5_000)]) {
				const { answer } = await asked({ ...body, next }, (provider) =>
					provider.top({ ...request, cursor: "same" }),
				);
				expect(answer).toMatchObject({ cursor: null, isBroken: true });
			}
		});

		test("an empty page may have a next one", async () => {
			const { answer } = await asked({ drops: [], next: "more" }, (provider) =>
				provider.drops({ ...request, type: "featured" }),
			);
			expect(answer).toEqual({ items: [], cursor: "more" });
		});

		test("a search requests collections only", async () => {
			const results = [
				{ type: "token", token: { name: "x" } },
				{ type: "collection", collection: { collection: "cats", name: "Cats", is_disabled: true } },
			];
			const { answer, url } = await asked({ results }, (provider) =>
				provider.search("cats & dogs", { ...request, chainId: 137 }),
			);
			expect(url).toBe(
				"/api/v2/search?query=cats+&+dogs&asset_types=collection&chains=polygon&limit=50",
			);
			expect(answer).toEqual([{ slug: "cats", name: "Cats", imageUrl: null, isDisabled: true }]);
		});
	});

	describe("one collection", () => {
		test("the slug of a contract is read, and null without one", async () => {
			const contract = { chainId: 80_094, address: CAT };
			const known = await asked({ address: CAT, collection: "cats" }, (provider) =>
				provider.slugOf(contract, request),
			);
			expect(known.url).toBe(`/api/v2/chain/bera_chain/contract/${CAT}`);
			expect(known.answer).toBe("cats");
			const none = await asked({ address: CAT }, (provider) => provider.slugOf(contract, request));
			expect(none.answer).toBeNull();
		});

		test("the details of a collection are read", async () => {
			const detail = rows.collection({
				total_supply: 10_000,
				created_date: "2025-06-01",
				fees: [
					{ fee: 2.5, recipient: ALICE, required: true },
					{ fee: 101, recipient: ALICE, required: true },
					{ fee: "x" },
				],
			});
			const { answer, url } = await asked(detail, (provider) =>
				provider.collection("cats", request),
			);
			expect(url).toBe("/api/v2/collections/cats");
			expect(answer).toMatchObject({
				slug: "cats",
				totalSupply: 10_000n,
				createdAtMs: Date.UTC(2025, 5, 1),
				fees: [{ percent: 2.5, recipient: ALICE, isRequired: true }],
			});
		});

		test("the stats, traits and trait floors of a collection are read", async () => {
			const stats = await asked(rows.stats(), (provider) => provider.stats("cats", request));
			expect(stats.url).toBe("/api/v2/collections/cats/stats");
			expect(stats.answer).toMatchObject({ floor: { value: 0.02, symbol: "ETH" }, owners: 2 });
			const counts = { categories: { Fur: "string" }, counts: { Fur: { Red: 4 } } };
			const traits = await asked(counts, (provider) => provider.traits("cats", request));
			expect(traits.url).toBe("/api/v2/traits/cats");
			expect(traits.answer).toEqual([{ type: "Fur", values: [{ value: "Red", count: 4 }] }]);
			const floors = [
				{ trait_type: "Fur", value: "Red", floor_price: 0.5, payment_token_symbol: "ETH" },
				{ trait_type: "Fur", value: "Blue", floor_price: 0, payment_token_symbol: "" },
			];
			const floor = await asked({ chain: "base", floors }, (provider) =>
				provider.traitFloors("cats", request),
			);
			expect(floor.url).toBe("/api/v2/traits/cats/floors");
			expect(floor.answer).toEqual([{ type: "Fur", value: "Red", floor: 0.5, symbol: "ETH" }]);
		});

		test("an object that the provider does not know gives null, or a page marked as unknown", async () => {
			using lab = providerLab(() => Response.json({ errors: ["Not found"] }, { status: 404 }));
			const { provider } = lab;
			expect(await provider.collection("x", request)).toBeNull();
			expect(await provider.stats("x", request)).toBeNull();
			expect(await provider.traitFloors("x", request)).toBeNull();
			const unknown = { items: [], cursor: null, isUnknown: true };
			expect(await provider.listings("x", request)).toEqual(unknown);
			expect(await provider.events("x", request)).toEqual(unknown);
			expect(lab.lines).toEqual([]);
		});

		test("a slug cannot lead to another path", async () => {
			const odd = await asked(rows.stats(), (provider) => provider.stats("a/../b?c#d%2e", request));
			expect(odd.path).toBe("/api/v2/collections/a%2F..%2Fb%3Fc%23d%252e/stats");
			using lab = providerLab(() => Response.json(rows.stats()));
			for (const slug of ["", ".", ".."]) {
				await expect(lab.provider.stats(slug, request)).rejects.toMatchObject({
					code: "provider_refused",
				});
			}
			expect(lab.seen).toEqual([]);
		});
	});

	describe("events, orders and tokens", () => {
		test("[MRG-01] events are read between two times, of several types", async () => {
			const asset_events = [rows.sale(), rows.sale({ chain: "solana", seller: "So1ana" })];
			const { url, answer, lines } = await asked({ asset_events }, (provider) =>
				provider.events("cats", {
					...request,
					types: ["sale", "item_offer"],
					afterMs: 1_500,
					beforeMs: 2_500,
				}),
			);
			expect(url).toBe(
				"/api/v2/events/collection/cats?after=1&before=3&event_type=sale&event_type=offer&limit=200",
			);
			expect(answer.items).toHaveLength(1);
			expect(lines).toEqual([]);
		});

		test("[MRG-01] the order book and its best orders are read", async () => {
			const listings = await asked({ listings: [rows.listing()] }, (provider) =>
				provider.listings("cats", { ...request, limit: 10 }),
			);
			expect(listings.url).toBe("/api/v2/listings/collection/cats/all?limit=10");
			expect(listings.answer.items[0]).toMatchObject({ kind: "listing", totalRaw: 1_000n });
			const best = await asked({ listings: [rows.listing()] }, (provider) =>
				provider.bestListings("cats", request),
			);
			expect(best.url).toBe("/api/v2/listings/collection/cats/best?limit=200");
			const offers = await asked({ offers: [rows.offer()] }, (provider) =>
				provider.offers("cats", request),
			);
			expect(offers.url).toBe("/api/v2/offers/collection/cats/all?limit=200");
			expect(offers.answer.items[0]).toMatchObject({ kind: "item_offer", totalRaw: 1_000n });
			const one = await asked(rows.listing(), (provider) =>
				provider.bestListing("cats", 7n, request),
			);
			expect(one.url).toBe("/api/v2/listings/collection/cats/nfts/7/best");
			expect(one.answer?.tokenId).toBe(7n);
			const none = await asked({}, (provider) => provider.bestListing("cats", 7n, request));
			expect(none.answer).toBeNull();
		});

		test("a single order is read, which may be an offer, or null if it is gone", async () => {
			const order = { chainId: 8453, protocolAddress: SEAPORT, orderHash: HASH };
			const { answer, url } = await asked({ order: rows.offer() }, (provider) =>
				provider.order(order, request),
			);
			expect(url).toBe(`/api/v2/orders/chain/base/protocol/${SEAPORT}/${HASH}`);
			expect(answer).toMatchObject({ side: "offer", orderHash: HASH });
			using lab = providerLab(() =>
				Response.json({ errors: ["Order not found"] }, { status: 400 }),
			);
			expect(await lab.provider.order(order, request)).toBeNull();
		});

		test("tokens are read, singly and in pages", async () => {
			const token = { chainId: 8453, address: CAT, tokenId: 2n ** 255n };
			const one = await asked({ nft: rows.nft({ rarity: { rank: 9 } }) }, (provider) =>
				provider.nft(token, request),
			);
			expect(one.url).toBe(`/api/v2/chain/base/contract/${CAT}/nfts/${2n ** 255n}`);
			expect(one.answer).toMatchObject({ chainId: 8453, tokenId: 7n, rank: 9 });
			const nfts = { nfts: [rows.nft()] };
			const page = await asked(nfts, (provider) => provider.nfts({ slug: "cats" }, request));
			expect(page.url).toBe("/api/v2/collection/cats/nfts?limit=200");
			expect(page.answer.items[0]).toMatchObject({ chainId: null, rank: null, tokenId: 7n });
			const contract = { chainId: 8453, address: CAT };
			const ofContract = await asked(nfts, (provider) => provider.nfts(contract, request));
			expect(ofContract.url).toBe(`/api/v2/chain/base/contract/${CAT}/nfts?limit=200`);
			expect(ofContract.answer.items[0]).toMatchObject({ chainId: 8453, tokenId: 7n });
		});

		test("drops are read, in pages and singly", async () => {
			const list = await asked({ drops: [rows.drop()] }, (provider) =>
				provider.drops({ ...request, type: "upcoming", chainId: 8453, cursor: "c" }),
			);
			expect(list.url).toBe("/api/v2/drops?type=upcoming&chains=base&limit=100&cursor=c");
			const stages = [rows.drop().active_stage, { no: "uuid" }];
			const one = await asked(rows.drop({ stages, max_supply: "500" }), (provider) =>
				provider.drop("cats", request),
			);
			expect(one.url).toBe("/api/v2/drops/cats");
			expect(one.answer).toMatchObject({
				chainId: 8453,
				contract: CAT,
				maxSupply: 500n,
				totalSupply: null,
				stages: [{ priceRaw: 100n, startsAtMs: Date.UTC(2026, 0, 1), maxPerWallet: 10n }],
			});
		});

		test("the data to fill an order is requested as documented, and a number is read exactly", async () => {
			const text = JSON.stringify({
				protocol: "seaport1.5",
				fulfillment_data: {
					transaction: {
						function: "fulfillBasicOrder((address,uint256))",
						chain: 8453,
						to: SEAPORT,
						value: "VALUE",
						input_data: { parameters: { salt: "1" } },
					},
				},
			}).replace('"VALUE"', "90000000000000000001");
			using lab = providerLab(() => new Response(text));
			const answer = await lab.provider.listingFulfilment(
				{
					chainId: 8453,
					protocolAddress: SEAPORT,
					orderHash: HASH,
					fulfiller: ALICE,
					recipient: ALICE,
					token: { contract: CAT, tokenId: 7n },
					units: 2n,
				},
				request,
			);
			expect(lab.seen[0]).toMatchObject({
				method: "POST",
				path: "/api/v2/listings/fulfillment_data",
			});
			expect(JSON.parse(lab.seen[0]?.body ?? "")).toEqual({
				listing: { hash: HASH, chain: "base", protocol_address: SEAPORT },
				fulfiller: { address: ALICE },
				recipient: ALICE,
				consideration: { asset_contract_address: CAT, token_id: "7" },
				units_to_fill: 2,
			});
			expect(answer?.transaction.valueRaw).toBe(90_000_000_000_000_000_001n);
			expect(answer?.orders).toEqual([]);
		});
	});
});

describe("createProvider.trouble", () => {
	const request = { purpose: "request" } as const;
	const background = { purpose: "background" } as const;
	const page = () => Response.json({ collections: [rows.collection()] });
	const throttled = (headers: Record<string, string> = {}, status = 429) =>
		Response.json({ detail: "Request was throttled." }, { status, headers });

	describe("429", () => {
		for (const status of [429, 599]) {
			test(`[MRG-08] a burst ${status} is retried once, after its wait`, async () => {
				using lab = providerLab((_, turn) =>
					turn === 1 ? throttled({ "retry-after": "2" }, status) : page(),
				);
				const found = await lab.provider.top(request);
				expect(found.items).toHaveLength(1);
				expect(lab.seen).toHaveLength(2);
				expect((lab.sentAtMs[1] ?? 0) - (lab.sentAtMs[0] ?? 0)).toBe(2_000);
				expect(lab.lines).toEqual([]);
			});

			test(`[MRG-09] ${status} again is rate_limited with the provider and the wait`, async () => {
				using lab = providerLab(() => throttled({ "retry-after": "2" }, status));
				await expect(lab.provider.top(request)).rejects.toMatchObject({
					code: "rate_limited",
					status: 429,
					members: { provider: "opensea", retryAfterMs: 2_000 },
				});
				expect(lab.seen).toHaveLength(2);
				expect(lab.lines).toHaveLength(1);
			});
		}

		test("[MRG-09] a long rate limit is returned at once, and nothing is sent while it lasts", async () => {
			using lab = providerLab((_, turn) =>
				turn === 1 ? throttled({ "retry-after": "30" }) : page(),
			);
			const told = { code: "rate_limited", members: { retryAfterMs: 30_000 } };
			await expect(lab.provider.top(request)).rejects.toMatchObject(told);
			lab.time.nowMs += 10_000;
			const later = { code: "rate_limited", members: { retryAfterMs: 20_000 } };
			await expect(lab.provider.stats("cats", background)).rejects.toMatchObject(later);
			expect(lab.seen).toHaveLength(1);
			lab.time.nowMs += 20_000;
			expect((await lab.provider.top(request)).items).toHaveLength(1);
		});

		const date = "Fri, 02 Jan 2026 10:00:00 GMT";
		const later = "Fri, 02 Jan 2026 10:00:07 GMT";
		const reset = String(Date.parse(later) / 1_000);
		const forms: [string, Record<string, string>, number][] = [
			["seconds", { "retry-after": "7" }, 7_000],
			["a date, whatever our clock says", { "retry-after": later, date }, 7_000],
			["the reset of a used-up allowance", allowance("0", reset), 7_000],
			["an hour, which is capped", { "retry-after": "3600" }, 300_000],
			["no header", {}, 1_000],
			["0, which says nothing", { "retry-after": "0" }, 1_000],
			["5s, which is no form", { "retry-after": "5s" }, 1_000],
			["1.5, which is no form", { "retry-after": "1.5" }, 1_000],
			["-3, which is no form", { "retry-after": "-3" }, 1_000],
			["a date gone by", { "retry-after": date, date: later }, 1_000],
			["a reset in milliseconds, of no known form", allowance("0", `${reset}000`), 1_000],
		];
		for (const [form, headers, waitMs] of forms) {
			test(`[MRG-09] retry-after as ${form}: ${waitMs} ms`, async () => {
				using lab = providerLab(() => throttled(headers));
				// A fulfilment is not sent again, so the first block is reported.
				await expect(fulfil(lab)).rejects.toMatchObject({ members: { retryAfterMs: waitMs } });
				expect(lab.seen).toHaveLength(1);
			});
		}

		test("after an answer that used up the allowance no call is sent until it is renewed", async () => {
			using lab = providerLab(() =>
				Response.json({ collections: [] }, { headers: { date, ...allowance("0", reset) } }),
			);
			await lab.provider.top(request);
			const told = { code: "rate_limited", members: { retryAfterMs: 7_000 } };
			await expect(lab.provider.top(request)).rejects.toMatchObject(told);
			expect(lab.seen).toHaveLength(1);
		});

		test("a 429 whose body is no JSON is handled the same", async () => {
			using lab = providerLab(() => new Response("<html>slow down", { status: 429 }));
			await expect(lab.provider.top(request)).rejects.toMatchObject({ code: "rate_limited" });
		});

		function allowance(remaining: string, until: string): Record<string, string> {
			return { date, "x-ratelimit-remaining": remaining, "x-ratelimit-reset": until };
		}
	});

	describe("an invalid answer", () => {
		test("[MRG-15] 5xx is unavailable, and the private detail quotes the answer", async () => {
			const bodies = [
				[JSON.stringify({ errors: ["Internal\u0007 error"] }), "Internal error"],
				[JSON.stringify({ errors: [{ code: 7 }] }), '{"code":7}'],
				[JSON.stringify({ detail: "down" }), "down"],
				[JSON.stringify({ error: { message: "gone", status: 500 } }), "gone"],
				["<html>Bad gateway</html>", "<html>Bad gateway</html>"],
				["", "(nothing)"],
			] as const;
			for (const [body, said] of bodies) {
				using lab = providerLab(() => new Response(body, { status: 502 }));
				await expect(lab.provider.top(request)).rejects.toMatchObject({
					code: "provider_unavailable",
					privateDetail: `HTTP 502: ${said}`,
				});
				expect(lab.provider.isConnected()).toBe(false);
			}
		});

		test("[MRG-15] any other 4xx is a refusal, whose public text has no secrets of the request", async () => {
			using lab = providerLab(() => Response.json({ errors: ["bad key abc"] }, { status: 401 }));
			const fault = await lab.provider.top(request).catch((error) => error);
			expect(fault).toMatchObject({
				code: "provider_refused",
				privateDetail: "HTTP 401: bad key abc",
			});
			expect(fault.publicDetail).not.toContain("abc");
			expect(lab.provider.isConnected()).toBe(true);
		});

		test("[MRG-15] silence, and an answer that comes too slowly, end after the time limit", async () => {
			const never = new Promise<Response>(() => {});
			using silent = providerLab(() => never, { timeoutMs: 60 });
			await expect(silent.provider.top(request)).rejects.toMatchObject({
				code: "provider_unavailable",
				privateDetail: "no answer in time",
			});
			const drip = () =>
				new ReadableStream({
					async pull(controller) {
						controller.enqueue(new TextEncoder().encode(" "));
						await Bun.sleep(5);
					},
				});
			using dripping = providerLab(() => new Response(drip()), { timeoutMs: 60 });
			await expect(dripping.provider.top(request)).rejects.toMatchObject({
				code: "provider_unavailable",
			});
		});

		test("[MRG-15] a body of 200 MB is refused after 8 MiB, announced or not", async () => {
			const mebibyte = new Uint8Array(1_024 * 1_024).fill(32);
			let sent = 0;
			const endless = () =>
				new ReadableStream({
					pull(controller) {
						sent += mebibyte.byteLength;
						if (sent > 200 * mebibyte.byteLength) controller.close();
						else controller.enqueue(mebibyte);
					},
				});
			using lab = providerLab(() => new Response(endless()));
			await expect(lab.provider.top(request)).rejects.toMatchObject({
				code: "provider_unreadable",
			});
			expect(sent).toBeLessThan(100 * mebibyte.byteLength);
			using announced = providerLab(() => new Response(new Uint8Array(9 * 1_024 * 1_024)));
			await expect(announced.provider.top(request)).rejects.toMatchObject({
				code: "provider_unreadable",
			});
			const packed = Bun.gzipSync(new Uint8Array(64 * 1_024 * 1_024).fill(32));
			const headers = { "content-encoding": "gzip", "content-type": "application/json" };
			using bomb = providerLab(() => new Response(packed, { headers }));
			await expect(bomb.provider.top(request)).rejects.toMatchObject({
				code: "provider_unreadable",
			});
		});

		test("[MRG-15] HTML, cut JSON, no JSON and no body are unreadable, and logged once", async () => {
			const answers = [
				() => new Response("<html>hello</html>", { headers: { "content-type": "text/html" } }),
				() => new Response('{"collections":[]}', { headers: { "content-type": "text/html" } }),
				() => new Response('{"collections":[{"collection":"ca'),
				() => new Response("NaN"),
				() => new Response(null, { status: 204 }),
				() => new Response("[".repeat(4_000_000)),
			];
			using lab = providerLab((_, turn) => (answers[turn - 1] ?? page)());
			for (const _ of answers) {
				await expect(lab.provider.top(request)).rejects.toMatchObject({
					code: "provider_unreadable",
				});
			}
			expect(lab.lines).toHaveLength(1);
			expect((await lab.provider.top(request)).items).toHaveLength(1);
			lab.time.nowMs += 60_000;
		});

		test("[MRG-15] an answer of another shape is unreadable, never an empty list", async () => {
			const wrong = [null, [], "x", 7, {}, { collections: {} }, { collections: [1, null, {}] }];
			for (const answer of wrong) {
				using lab = providerLab(() => Response.json(answer));
				await expect(lab.provider.top(request)).rejects.toMatchObject({
					code: "provider_unreadable",
				});
			}
		});

		test("rows of other chains beside unreadable rows do not give an empty list either", async () => {
			const elsewhere = rows.sale({ chain: "solana", seller: "So1ana" });
			const asset_events = [elsewhere, rows.sale({ quantity: "many" })];
			using lab = providerLab(() => Response.json({ asset_events }));
			const unreadable = { code: "provider_unreadable" };
			await expect(lab.provider.events("cats", request)).rejects.toMatchObject(unreadable);
			asset_events.pop();
			expect(await lab.provider.events("cats", request)).toEqual({ items: [], cursor: null });
		});

		test("an unreadable event is reported with its time, if that can be read", async () => {
			const bad = [rows.sale({ quantity: "many", event_timestamp: 1_700_000_000 }), 7];
			using lab = providerLab(() => Response.json({ asset_events: [rows.sale(), ...bad] }));
			const page = await lab.provider.events("cats", request);
			expect(page).toMatchObject({ unreadable: 2, unreadableAtMs: [1_700_000_000_000, null] });
		});

		test("a redirect is not followed, and the key is sent to no other host", async () => {
			using elsewhere = providerLab(page);
			using lab = providerLab(() => Response.redirect(`${elsewhere.url}/api/v2/x`, 302), {
				apiKey: "k-secret",
			});
			const fault = await lab.provider.top(request).catch((error) => error);
			expect(fault.code).toBe("provider_unavailable");
			expect(elsewhere.seen).toHaveLength(0);
			expect(JSON.stringify([fault.privateDetail, lab.lines])).not.toContain("k-secret");
		});

		test("a provider that cannot be reached is unavailable, and its URL is not shown", async () => {
			const lab = providerLab(page);
			lab[Symbol.dispose]();
			const fault = await lab.provider.top(request).catch((error) => error);
			expect(fault).toMatchObject({ code: "provider_unavailable" });
			expect(fault.privateDetail).not.toContain("127.0.0.1");
		});
	});

	describe("logging, aborting and keys of calls", () => {
		test("[MRG-15] a bad row does not affect other rows, and is logged once", async () => {
			const bad = [null, 7, "x", { name: "no slug" }, { collection: "../x" }];
			using lab = providerLab(() => Response.json({ collections: [...bad, rows.collection()] }));
			const found = await lab.provider.top(request);
			expect(found.items.map(({ slug }) => slug)).toEqual(["cats"]);
			await lab.provider.top(request);
			expect(lab.lines.map(({ context }) => context)).toEqual([{ endpoint: "top", rows: 5 }]);
			const { body } = await lab.metrics.expose();
			expect(body).toContain('tapeline_provider_unreadable_rows_total{endpoint="top"} 10');
			expect(body).toContain('tapeline_provider_calls_total{endpoint="top",outcome="ok"} 2');
		});

		test("an outage is one line a minute, with the number of the other failures", async () => {
			using lab = providerLab(() => new Response("", { status: 500 }));
			for (let turn = 0; turn < 5; turn++) await lab.provider.top(request).catch(() => {});
			lab.time.nowMs += 60_000;
			await lab.provider.top(request).catch(() => {});
			expect(lab.lines).toHaveLength(2);
			expect(lab.lines[1]?.context).toMatchObject({ untold: 4 });
		});

		test("a call that its caller aborts does not count as a failure of the provider", async () => {
			const giving = new AbortController();
			using lab = providerLab(() => {
				giving.abort();
				return new Promise<Response>(() => {});
			});
			const call = lab.provider.top({ ...request, signal: giving.signal });
			await expect(call).rejects.toMatchObject({ code: "provider_unavailable" });
			expect(lab.lines).toEqual([]);
			expect(lab.provider.isConnected()).toBeNull();
		});

		test("calls end with the process", async () => {
			const ending = new AbortController();
			using lab = providerLab(() => new Promise<Response>(() => {}), { ending: ending.signal });
			const call = lab.provider.top(request);
			ending.abort();
			await expect(call).rejects.toMatchObject({ code: "provider_unavailable" });
		});

		test("the key is sent as a header, and without a key there is no header", async () => {
			using withKey = providerLab(page, { apiKey: "k-secret" });
			await withKey.provider.top(request);
			expect(withKey.seen[0]?.headers.get("x-api-key")).toBe("k-secret");
			expect(withKey.seen[0]?.query).not.toContain("k-secret");
			using without = providerLab(page);
			await without.provider.top(request);
			expect(without.seen[0]?.headers.has("x-api-key")).toBe(false);
		});

		test("an order to fill is requested once, whatever the answer is", async () => {
			for (const answer of [
				() => throttled({ "retry-after": "1" }),
				() => new Response("", { status: 500 }),
			]) {
				using lab = providerLab(answer);
				await expect(fulfil(lab)).rejects.toThrow();
				expect(lab.seen).toHaveLength(1);
			}
		});
	});

	function fulfil({ provider }: { provider: ReturnType<typeof providerLab>["provider"] }) {
		const listing = {
			chainId: 8453,
			protocolAddress: "0x0000000000000068f116a894984e2db1123eb395",
			orderHash: `0x${"ab".repeat(32)}`,
			fulfiller: "0x00000000000000000000000000000000000000b2",
		} as const;
		return provider.listingFulfilment(listing, request);
	}
});
