import { expect, test } from "bun:test";
import { z } from "zod";
import { parseConfig } from "#core/config/parseConfig.ts";
import { tradeConfig } from "#plugins/trading/tradeConfig.ts";

const section = { owner: "trading", schema: z.object(tradeConfig) };

test("V4 is off, and a service that is told to execute it says why it does not start", () => {
	expect(parseConfig([section], {}).of(section).TRADE_V4_ENABLED).toBe(false);
	expect(() => parseConfig([section], { TRADE_V4_ENABLED: "true" })).toThrow("Permit2");
});
