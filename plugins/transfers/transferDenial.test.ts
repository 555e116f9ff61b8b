import { expect, test } from "bun:test";
import { transferDenial } from "#plugins/transfers/transferDenial.ts";
import type { SpendSituation } from "#plugins/wallets/contract.ts";

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

test("[TRF-03] what fits exactly is allowed; anything less is denied with its code", () => {
	expect(transferDenial(situation())).toBeNull();
	const denials: [Partial<SpendSituation>, string][] = [
		[{ usdMicros: null }, "usd_rate_unavailable"],
		[{ limits: { ...limits, perTradeUsdMicros: 4n } }, "per_trade_limit"],
		[{ limits: { ...limits, walletNotionalUsdMicros: 4n } }, "wallet_notional_limit"],
		[{ spentTodayUsdMicros: 11n }, "daily_limit"],
		[{ recipientKnownForMs: 59_999 }, "recipient_cooldown"],
		[{ recipientKnownForMs: 0 }, "recipient_cooldown"],
		[{ recipientKnownForMs: null }, "recipient_cooldown"],
	];
	for (const [more, code] of denials) expect(transferDenial(situation(more))?.code).toBe(code);
});

test("without a cooldown a stranger is paid at once", () => {
	const open = { ...limits, recipientCooldownMs: 0 };
	expect(transferDenial(situation({ limits: open, recipientKnownForMs: 0 }))).toBeNull();
});
