import { expect, test } from "bun:test";
import { capabilityOf } from "#plugins/wallets/enrolment/capabilityOf.ts";

const address = `0x${"a".repeat(40)}` as const;
const embedded = { type: "wallet", address, providerWalletId: "w-1" } as const;
const held = { id: "w-1", address, isDelegated: true, isArchived: false };

test("[TRD-09] the server may send for a wallet only where all of it is proved", () => {
	expect(capabilityOf(embedded, held)).toBe("embedded/delegated");
	expect(capabilityOf(embedded, { ...held, isDelegated: false })).toBe("embedded/manual");
	expect(capabilityOf({ ...embedded, providerWalletId: null }, null)).toBe("external/manual");
	expect(capabilityOf({ ...embedded, providerWalletId: null }, held)).toBe("external/manual");
	expect(capabilityOf(embedded, null)).toBe("embedded/manual");
	expect(capabilityOf(embedded, { ...held, isArchived: true })).toBe("disabled");
	expect(capabilityOf(embedded, { ...held, id: "w-2" })).toBe("review-required");
	expect(capabilityOf(embedded, { ...held, address: `0x${"b".repeat(40)}` })).toBe(
		"review-required",
	);
});
