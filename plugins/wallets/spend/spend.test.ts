import { describe, expect, test } from "bun:test";
import fc from "fast-check";
import type { Channel, Profile, SpendSituation, Wallet } from "#plugins/wallets/model.ts";
import { feeDenial, limitsInForce, spendDenial, usdMicros } from "#plugins/wallets/spend/spend.ts";
import { fakePrices } from "#test/harness/fakes.ts";

describe("feeDenial", () => {
	// Guarantee: no transaction offers the network more than its limit, and none what nobody can
	// price.

	const CHAIN_ID = 31_337;
	const ETHER = 10n ** 18n;

	function judge(asked: {
		gasLimit: bigint;
		maxFeePerGas: bigint;
		usd: number | null;
		max: bigint;
	}) {
		const prices = fakePrices();
		prices.setEth(asked.usd);
		const { gasLimit, maxFeePerGas } = asked;
		const by = {
			...{ prices, clock: { nowMs: () => Date.UTC(2026, 10, 21) } },
			// Of the settings it asks for nothing else.
			settings: {
				...{
					isDryRun: false,
					sendTimeoutMs: 1,
					finalDepthBlocks: 1,
					destinations: new Set<never>(),
				},
				slowAfter: { defaultMs: 1, byChain: new Map<number, number>() },
				quota: { burst: 0, perSecond: 0, refusedCost: 0 },
				limits: {
					...{ perTradeUsdMicros: 0n, walletNotionalUsdMicros: 0n, dailyUsdMicros: 0n },
					...{ socialUsdMicros: 0n, recipientCooldownMs: 0 },
				},
				networkFeeUsdMicros: asked.max,
			},
		};
		return feeDenial(by, { chainId: CHAIN_ID, gasLimit, account: { maxFeePerGas } })?.code ?? null;
	}

	test("a fee exactly at the limit is accepted, and one micro-dollar more is not", () => {
		const usd = 2_000;
		const amount = fc.bigInt({ min: 1n, max: 10n ** 9n });
		fc.assert(
			fc.property(amount, amount, (gasLimit, maxFeePerGas) => {
				// Rounded up: a limit is never passed by a rounding.
				const micros = (gasLimit * maxFeePerGas * BigInt(usd) * 1_000_000n + ETHER - 1n) / ETHER;
				expect(judge({ gasLimit, maxFeePerGas, usd, max: micros })).toBeNull();
				expect(judge({ gasLimit, maxFeePerGas, usd, max: micros - 1n })).toBe("network_fee_limit");
			}),
		);
	});

	test("a fee without a known price is not accepted, however small", () => {
		for (const usd of [null, 0]) {
			const code = judge({ gasLimit: 1n, maxFeePerGas: 1n, usd, max: 10n ** 12n });
			expect(code).toBe("usd_rate_unavailable");
		}
	});
});

describe("limitsInForce", () => {
	const amount = fc.bigInt({ min: 0n, max: 10n ** 15n });
	const defaults = fc.record({
		perTradeUsdMicros: amount,
		walletNotionalUsdMicros: amount,
		dailyUsdMicros: amount,
		socialUsdMicros: amount,
		recipientCooldownMs: fc.nat(),
	});
	const own = fc.record({
		perTradeUsdMax: fc.option(amount),
		dailyUsdMax: fc.option(amount),
		notionalUsdMax: fc.option(amount),
	});
	const channel = fc.constantFrom<Channel>("api", "social", "snipe", "agent", "job");

	function byOf(
		owned: {
			perTradeUsdMax: bigint | null;
			dailyUsdMax: bigint | null;
			notionalUsdMax: bigint | null;
		},
		by: Channel,
	) {
		const wallet: Wallet = {
			id: "w",
			profileId: "p",
			address: `0x${"1".repeat(40)}`,
			chainId: 1,
			capability: "embedded/delegated",
			providerWalletId: "x",
			notionalUsdMax: owned.notionalUsdMax,
			revision: 1,
		};
		const profile: Profile = {
			id: "p",
			socialUserId: null,
			socialUsername: null,
			canonicalWalletId: null,
			requireTradeConfirmation: false,
			perTradeUsdMax: owned.perTradeUsdMax,
			dailyUsdMax: owned.dailyUsdMax,
			revision: 1,
			wallets: [wallet],
		};
		return { profile, wallet, channel: by, recipient: null };
	}

	test("each limit in force is the lowest one that applies", () => {
		fc.assert(
			fc.property(defaults, own, channel, (deployment, owned, by) => {
				const limits = limitsInForce(deployment, byOf(owned, by));
				const social = by === "social" ? [deployment.socialUsdMicros] : [];
				const apply = (...all: (bigint | null)[]) => {
					const some = [...all, ...social].filter((one) => one !== null);
					return some.reduce((low, one) => (one < low ? one : low));
				};
				expect(limits.perTradeUsdMicros).toBe(
					apply(deployment.perTradeUsdMicros, owned.perTradeUsdMax),
				);
				expect(limits.dailyUsdMicros).toBe(apply(deployment.dailyUsdMicros, owned.dailyUsdMax));
				const notional = [deployment.walletNotionalUsdMicros, owned.notionalUsdMax];
				expect(notional).toContain(limits.walletNotionalUsdMicros);
				expect(limits.walletNotionalUsdMicros <= deployment.walletNotionalUsdMicros).toBe(true);
				expect(limits.recipientCooldownMs).toBe(deployment.recipientCooldownMs);
			}),
		);
	});

	test("a foreign recipient counts as new for at least a day on the social channel", () => {
		const own = byOf({ perTradeUsdMax: null, dailyUsdMax: null, notionalUsdMax: null }, "social");
		const other = { ...own, recipient: `0x${"2".repeat(40)}` } as const;
		const waits = (recipientCooldownMs: number, by: Parameters<typeof limitsInForce>[1]) => {
			const limits = { perTradeUsdMicros: 1n, walletNotionalUsdMicros: 1n, dailyUsdMicros: 1n };
			const deployment = { ...limits, socialUsdMicros: 1n, recipientCooldownMs };
			return limitsInForce(deployment, by).recipientCooldownMs;
		};
		expect(waits(0, other)).toBe(86_400_000);
		expect(waits(90_000_000, other)).toBe(90_000_000);
		expect(waits(0, { ...other, channel: "agent" })).toBe(0);
		expect(waits(0, { ...own, recipient: `0x${"1".repeat(40)}` })).toBe(0);
		expect(waits(0, own)).toBe(0);
	});

	test("a limit of zero is applied, and not ignored", () => {
		const deployment = {
			perTradeUsdMicros: 5n,
			walletNotionalUsdMicros: 6n,
			dailyUsdMicros: 7n,
			socialUsdMicros: 1n,
			recipientCooldownMs: 0,
		};
		const none = { perTradeUsdMax: 0n, dailyUsdMax: 0n, notionalUsdMax: 0n };
		expect(limitsInForce(deployment, byOf(none, "api"))).toMatchObject({
			perTradeUsdMicros: 0n,
			walletNotionalUsdMicros: 0n,
			dailyUsdMicros: 0n,
		});
	});
});

describe("spendDenial", () => {
	const situation = (more: Partial<SpendSituation> = {}): SpendSituation => ({
		usdMicros: 5n,
		spentTodayUsdMicros: 10n,
		limits: {
			perTradeUsdMicros: 5n,
			walletNotionalUsdMicros: 5n,
			dailyUsdMicros: 15n,
			recipientCooldownMs: 0,
		},
		recipientKnownForMs: null,
		...more,
	});
	const limits = situation().limits;

	test("a spend exactly at the limit is allowed, and one micro-dollar more is denied with its limit's code", () => {
		expect(spendDenial(situation())).toBeNull();
		const denials: [Partial<SpendSituation>, string][] = [
			[{ usdMicros: null }, "usd_rate_unavailable"],
			[{ limits: { ...limits, perTradeUsdMicros: 4n } }, "per_trade_limit"],
			[{ limits: { ...limits, walletNotionalUsdMicros: 4n } }, "wallet_notional_limit"],
			[{ limits: { ...limits, dailyUsdMicros: 14n } }, "daily_limit"],
			[{ spentTodayUsdMicros: 11n }, "daily_limit"],
		];
		for (const [more, code] of denials) expect(spendDenial(situation(more))?.code).toBe(code);
	});

	test("the allowed spends of a day never exceed its limit, however they are split", () => {
		fc.assert(
			fc.property(fc.array(fc.bigInt({ min: 0n, max: 40n }), { maxLength: 50 }), (spends) => {
				let spent = 0n;
				for (const usdMicros of spends) {
					const now = situation({
						usdMicros,
						spentTodayUsdMicros: spent,
						limits: { ...limits, dailyUsdMicros: 100n, perTradeUsdMicros: 30n },
					});
					if (spendDenial(now) === null) spent += usdMicros;
				}
				expect(spent <= 100n).toBe(true);
			}),
		);
	});
});

describe("usdMicros", () => {
	const rate = (answer: bigint, decimals = 8, currencyDecimals = 18) => {
		return { answer, decimals, currencyDecimals, updatedAtMs: 0 };
	};

	test("an amount is never counted below its value, and at most one micro-dollar above it", () => {
		fc.assert(
			fc.property(
				fc.bigInt({ min: 0n, max: 2n ** 256n - 1n }),
				fc.bigInt({ min: 1n, max: 2n ** 128n }),
				fc.integer({ min: 0, max: 36 }),
				fc.integer({ min: 0, max: 77 }),
				(raw, answer, decimals, currencyDecimals) => {
					const micros = usdMicros(raw, rate(answer, decimals, currencyDecimals)) ?? -1n;
					const unit = 10n ** BigInt(decimals + currencyDecimals);
					const exact = raw * answer * 1_000_000n;
					expect(micros * unit >= exact).toBe(true);
					expect((micros - 1n) * unit < exact || micros === 0n).toBe(true);
				},
			),
		);
	});

	test("the value of an amount is rounded up to whole micro-dollars", () => {
		expect(usdMicros(1n, rate(2_000n * 10n ** 8n))).toBe(1n);
		expect(usdMicros(0n, rate(2_000n * 10n ** 8n))).toBe(0n);
		expect(usdMicros(10n ** 18n, rate(2_000n * 10n ** 8n))).toBe(2_000_000_000n);
		expect(usdMicros(1_500_000n, rate(10n ** 8n, 8, 6))).toBe(1_500_000n);
	});

	test("the value of an amount is unknown, and not zero, without a valid price", () => {
		expect(usdMicros(1n, null)).toBeNull();
		for (const answer of [0n, -1n]) expect(usdMicros(1n, rate(answer))).toBeNull();
	});
});
