import { z } from "zod";
import type { TradingSetting } from "#plugins/wallets/contract.ts";

/** Its key, and how it looks to a person. */
export const REBROADCAST = "rebroadcast";

/** Whether what no node knows any more is sent to nodes again by itself. Nobody does unless set. */
export const rebroadcastSetting: TradingSetting = {
	shown: REBROADCAST,
	key: /^rebroadcast$/,
	schema: z.boolean(),
	description:
		"A transaction that no node knows any more is sent to the nodes again, byte for byte, until " +
		"one of them has it. Off unless it is set: the owner or an operator cancels it instead.",
};
