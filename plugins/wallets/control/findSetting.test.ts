import { expect, test } from "bun:test";
import { z } from "zod";
import type { Fault } from "#core/fault.ts";
import { findSetting } from "#plugins/wallets/control/settings.ts";
import type { TradingSetting } from "#plugins/wallets/Wallets.ts";

const setting = (shown: string, key: RegExp): TradingSetting => {
	return { shown, key, schema: z.boolean(), description: "." };
};
const plain = setting("a", /^a$/);
const loose = setting("b:<id>", /b:(\d+)/);

test("a key must match a setting's pattern as a whole, even if the pattern has no anchors", () => {
	expect(findSetting([plain, loose], "a")).toEqual({ setting: plain, named: null });
	expect(findSetting([plain, loose], "b:12")).toEqual({ setting: loose, named: "12" });
	for (const key of ["ab:12", "b:12x", "b:12\n", "", "A"]) {
		expect(() => findSetting([plain, loose], key)).toThrow(/setting_unknown/);
	}
});

test("the error for an unknown setting lists the known ones", () => {
	let refused: Partial<Fault> = {};
	try {
		findSetting([plain, loose], "c");
	} catch (error) {
		refused = error as Fault;
	}
	expect(refused.status).toBe(422);
	expect(refused.members).toEqual({ known: ["a", "b:<id>"] });
	expect(refused.publicDetail).toContain("a, b:<id>");
});
