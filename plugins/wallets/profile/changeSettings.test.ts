import { expect, test } from "bun:test";
import { chooseCanonical } from "#plugins/wallets/profile/changeSettings.ts";

const delegated = { id: "delegated", capability: "embedded/delegated" } as const;
const manual = { id: "manual", capability: "embedded/manual" } as const;
const external = { id: "external", capability: "external/manual" } as const;
const disabled = { id: "disabled", capability: "disabled" } as const;

test("[TRD-09] the chosen wallet stays canonical, whichever wallets are added", () => {
	expect(chooseCanonical([external, delegated], "external")).toBe("external");
	expect(chooseCanonical([manual, delegated], "manual")).toBe("manual");
});

test("[TRD-09] a removed or disabled main wallet is replaced by the one with most capabilities", () => {
	expect(chooseCanonical([external, manual, delegated], "gone")).toBe("delegated");
	expect(chooseCanonical([external, manual], null)).toBe("manual");
	expect(chooseCanonical([disabled, external], "disabled")).toBe("external");
	expect(chooseCanonical([disabled], "disabled")).toBeNull();
	expect(chooseCanonical([], "gone")).toBeNull();
});
