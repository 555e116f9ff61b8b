import { z } from "zod";
import type { ChainRegistry } from "#core/chain/chainRegistry.ts";
import { field } from "#core/http/openapi/field.ts";
import type { Intent } from "#plugins/wallets/contract.ts";
import { intentStatuses } from "#plugins/wallets/intent/IntentStatus.ts";

/** Describes an intent of any kind, as the agent's tools answer it. */
export const intentViewSchema = z.object({
	id: field.id("Names the intent."),
	kind: field.text("What it does: `transfer`, `nft_buy` …", "transfer"),
	status: z.enum(intentStatuses).meta({ description: "Where it stands." }),
	errorCode: field.text("Why it was refused, or failed.", "per_trade_limit").nullable(),
	chain: field.text("Slug of the chain.", "ethereum"),
	summary: field
		.text("What it does, in a sentence; null until it was planned.", "Sends 0.05 ETH to 0x70….")
		.nullable(),
	transactionHash: field.hashText("Its transaction; null until it was sent.").nullable(),
	createdAt: field.time("When it was asked for."),
	changedAt: field.time("When it last changed."),
});

export type IntentOfOwner = z.output<typeof intentViewSchema>;

/** Renders an intent for its owner: what it is, where it stands, nothing of how it is sent. */
export function renderIntentView(intent: Intent, chains: ChainRegistry): IntentOfOwner {
	const summary = intent.plan?.shown["summary"];
	return {
		id: intent.id,
		kind: intent.kind,
		status: intent.status,
		errorCode: intent.errorCode,
		chain: chains.byId(intent.chainId)?.slug ?? String(intent.chainId),
		summary: typeof summary === "string" ? summary : null,
		transactionHash: intent.transactionHash,
		createdAt: new Date(intent.createdAtMs).toISOString(),
		changedAt: new Date(intent.changedAtMs).toISOString(),
	};
}
