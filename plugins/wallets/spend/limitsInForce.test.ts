import { expect, test } from "bun:test";
import fc from "fast-check";
import type { Channel, Profile, Wallet } from "#plugins/wallets/contract.ts";
import { limitsInForce } from "#plugins/wallets/spend/limitsInForce.ts";

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

test("no limit in force is above any that applies, and each is one of them", () => {
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

test("on the social channel somebody else's address is new for a day at least", () => {
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

test("a limit of nothing is a limit, and not one that is left out", () => {
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
