// Serves saved recipients and refund addresses by chain.

import { Elysia } from "elysia";
import { isAddress as isChecksummed } from "viem";
import { z } from "zod";
import type { Address } from "#core/chain/Hex.ts";
import { ANY_CASE_ADDRESS_PATTERN } from "#core/chain/hexSchemas.ts";
import { httpFault } from "#core/http/faults.ts";
import { field } from "#core/http/openapi/schema.ts";
import { canFail } from "#core/http/routeMarks.ts";
import type { BridgeContext } from "#plugins/bridge/bridgeConfig.ts";
import { bridgeFault, invalidBridge } from "#plugins/bridge/faults.ts";
import { ADDRESS_LENGTH_MAX } from "#plugins/bridge/limits.ts";
import { deletePreference, putPreference } from "#plugins/bridge/sql/preferences.ts";
import type { SignedIn } from "#plugins/wallets/contract.ts";

const address = (description: string) =>
	z
		.string()
		.max(ADDRESS_LENGTH_MAX)
		.nullable()
		.optional()
		.meta({
			pattern: ANY_CASE_ADDRESS_PATTERN,
			description,
			examples: ["0x70997970c51812dc3a010c7d01b50e0d17dc79c8"],
		});
const body = z
	.strictObject({
		recipient: address("Who gets what arrives on the chain; null or left out: your wallet."),
		refundTo: address("Who gets what comes back on the chain; null or left out: your wallet."),
	})
	.meta({ id: "BridgePreferenceRequest", description: "At least one of both." });
const answer = z
	.object({
		chainId: field.integer("The chain.", 8_453),
		recipient: field.addressText("Who gets what arrives there; null: your wallet.").nullable(),
		refundTo: field.addressText("Who gets what comes back there; null: your wallet.").nullable(),
	})
	.meta({ id: "BridgePreference", description: "What you want on a chain." });
const params = z.object({
	chainId: z
		.string()
		.regex(/^[1-9][0-9]{0,15}$/, "must be the id of a chain")
		.transform(Number)
		.pipe(z.int())
		.meta({ type: "integer", description: "EIP-155 id of the chain.", examples: [8_453] }),
});
const RESERVED = 0x1_0000n;

/** Returns the routes of saved recipients and refund addresses; a bridge may name others. */
export function preferenceRoutes({ core, wallets }: BridgeContext, signedIn: SignedIn) {
	const { tokens } = wallets.execution;
	/** Refuses what a bridge would refuse later: nobody gets out what arrives there. */
	const mustBePayable = async (path: string, chainId: number, address: Address | null) => {
		const named = address && (await tokens.contractNamed({ chainId, address }));
		if (named) throw invalidBridge(path, `is ${named}: nobody gets out what arrives there`);
	};
	const transform = async (hook: { request: Request }) => void (await signedIn(hook));
	const about = { tags: ["bridging"], security: [{ session: [] as string[] }] };
	return new Elysia({ prefix: "/preferences" })
		.put(
			"/:chainId",
			async ({ request, params: { chainId }, body: wanted, set }) => {
				const { profile } = await signedIn({ request });
				const recipient = read("recipient", wanted.recipient);
				const refundTo = read("refundTo", wanted.refundTo);
				if (recipient === null && refundTo === null) {
					throw invalidBridge("recipient", "or `refundTo` is needed; DELETE forgets both");
				}
				await mustBePayable("recipient", chainId, recipient);
				await mustBePayable("refundTo", chainId, refundTo);
				const changedAt = new Date(core.clock.nowMs());
				const stored = { chainId, recipient, refundTo };
				await putPreference(core.db, { profileId: profile.id, ...stored, changedAt });
				set.headers["cache-control"] = "no-store";
				return stored;
			},
			{
				...{ transform, params, body, response: { 200: answer } },
				detail: {
					...{
						...about,
						operationId: "setBridgePreference",
						summary: "Saves what you want on a chain",
					},
					description: "It replaces what was saved before for that chain.",
					...canFail(httpFault.unauthorized, bridgeFault.validationError),
				},
			},
		)
		.delete(
			"/:chainId",
			async ({ request, params: { chainId }, set }) => {
				const { profile } = await signedIn({ request });
				await deletePreference(core.db, { profileId: profile.id, chainId });
				set.headers["cache-control"] = "no-store";
				return { chainId, recipient: null, refundTo: null };
			},
			{
				...{ transform, params, response: { 200: answer } },
				detail: {
					...{ ...about, operationId: "cancelBridgePreference" },
					summary: "Forgets what you want on a chain",
					description: "From then on it is your own wallet again.",
					...canFail(httpFault.unauthorized),
				},
			},
		);
}

function read(path: string, text: string | null | undefined): Address | null {
	if (text == null) return null;
	if (!isChecksummed(text) || BigInt(text) < RESERVED) {
		throw invalidBridge(path, "is no address that can be paid");
	}
	return text.toLowerCase() as Address;
}
