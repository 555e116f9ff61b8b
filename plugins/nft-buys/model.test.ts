import { expect, test } from "bun:test";
import fc from "fast-check";
import { nftSpendDenial } from "#plugins/nft-buys/model.ts";

const situation = (usdMicros: bigint | null, spentTodayUsdMicros = 0n) => ({
	usdMicros,
	spentTodayUsdMicros,
	limits: {
		perTradeUsdMicros: 100n,
		walletNotionalUsdMicros: 80n,
		dailyUsdMicros: 120n,
		recipientCooldownMs: 60_000,
	},
	recipientKnownForMs: null,
});
const code = (...given: Parameters<typeof situation>) =>
	nftSpendDenial(situation(...given))?.code ?? null;

test("[NFT-01] each limit denies an amount above it, not one equal to it, with its own code", () => {
	expect(code(null)).toBe("usd_rate_unavailable");
	expect(code(101n)).toBe("per_trade_limit");
	expect(code(81n)).toBe("wallet_notional_limit");
	expect(code(80n)).toBeNull();
	expect(code(80n, 40n)).toBeNull();
	expect(code(80n, 41n)).toBe("daily_limit");
});

test("[NFT-01] an allowed amount is under every limit, and every denial has a known code", () => {
	const codes = ["per_trade_limit", "wallet_notional_limit", "daily_limit"];
	const micros = fc.bigInt({ min: 0n, max: 200n });
	fc.assert(
		fc.property(micros, micros, (usd, spent) => {
			const said = code(usd, spent);
			if (said === null) expect(usd <= 80n && usd + spent <= 120n).toBe(true);
			else expect(codes).toContain(said);
		}),
	);
});

test("a recipient's cooldown does not apply to NFT buys", () => {
	expect(nftSpendDenial({ ...situation(1n), recipientKnownForMs: 0 })).toBeNull();
});
