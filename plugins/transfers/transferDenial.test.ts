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
