import { expect, test } from "bun:test";
import fc from "fast-check";
import type { SpendSituation } from "#plugins/wallets/contract.ts";
import { spendDenial } from "#plugins/wallets/spend/spendDenial.ts";

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

test("what fits exactly is allowed; a micro more is denied, with the code of its limit", () => {
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

test("however a day is cut into spends, what is allowed never adds up to more than its limit", () => {
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
