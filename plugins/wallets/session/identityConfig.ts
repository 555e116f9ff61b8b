import type { z } from "zod";
import { coreConfig } from "#core/config/coreConfig.ts";

const { PUBLIC_URL, SANDBOX, SESSION_SECRET, TRADING_HOME_CHAIN } = coreConfig.shape;

/** The part of the configuration that says who may be whom here. */
export const identityConfig = {
	// The runtime's own, which sign-in messages and cookies are made by.
	PUBLIC_URL,
	SANDBOX,
	SESSION_SECRET,
	TRADING_HOME_CHAIN,
};

export type IdentityConfig = z.output<z.ZodObject<typeof identityConfig>>;
