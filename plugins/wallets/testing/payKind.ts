import { z } from "zod";
import type { Address, Hex } from "#core/chain/Hex.ts";
import type { IntentKind, Missing } from "#plugins/wallets/IntentKind.ts";
import type { Plan } from "#plugins/wallets/model.ts";

/** Longer than it takes until the wallet provider's silence is a proof. */
export const PLAN_LIFETIME_MS = 300_000;

/** What a test says of payments. */
export type PayScript = {
	/** What settling finds. */
	missing: Missing | null;
	/** Null: whom it calls. */
	recipient: Address | null;
	/** Whatever fails before there is a plan. */
	beforePlan(): void;
};

/** A kind that pays somebody: its plan is its request. */
export function payKind(by: {
	clock: { nowMs(): number };
	script: PayScript;
}): IntentKind<unknown> {
	const request = z.object({ valueRaw: z.string(), data: z.string(), to: z.string() });
	return {
		name: "pay",
		plugin: "lab",
		request: z.unknown(),
		steps: [],
		// The path's own limits hold whatever a kind allows.
		deny: () => null,
		settle: async () => by.script.missing,
		async prepare(intent, { wallet }) {
			by.script.beforePlan();
			const { valueRaw, data, to } = request.parse(intent.request);
			const plan: Plan = {
				chainId: intent.chainId,
				from: wallet.address,
				to: to as Address,
				valueRaw: BigInt(valueRaw),
				data: data as Hex,
				spend: {
					currency: `0x${"0".repeat(40)}`,
					raw: BigInt(valueRaw),
					decimals: 18,
					symbol: "ETH",
				},
				recipient: by.script.recipient ?? (to as Address),
				shown: {},
				expiresAtMs: by.clock.nowMs() + PLAN_LIFETIME_MS,
			};
			return { kind: "plan", plan };
		},
	};
}
