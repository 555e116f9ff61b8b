import { z } from "zod";
import { type AnyTool, defineTool } from "#core/plugin/Tool.ts";
import { intentViewSchema, renderIntentView } from "#plugins/wallets/agent/intentView.ts";
import { statusSentence } from "#plugins/wallets/agent/statusSentence.ts";
import type { WalletToolDeps } from "#plugins/wallets/agent/walletTools.ts";
import { executionFault } from "#plugins/wallets/execution/faults.ts";

/** What all tools have that only read what is their owner's. */
export const ofOwner = { capability: "wallets", effect: "read", access: "profile" } as const;

const LIST_DEFAULT = 10;
const LIST_MAX = 50;

const byId = z.strictObject({ id: z.uuid().meta({ description: "An intent's id." }) });

/** Makes the tools that say what became of somebody's intents, and the one that takes one back. */
export function intentTools(deps: WalletToolDeps): AnyTool[] {
	return [listTool(deps), readTool(deps), cancelTool(deps)];
}

function listTool({ wallets, core }: WalletToolDeps): AnyTool {
	return defineTool({
		name: "list_intents",
		title: "Your actions",
		description: "Returns your newest transfers, buys and other actions, and what became of them.",
		...ofOwner,
		input: z.strictObject({
			limit: z.int().min(1).max(LIST_MAX).optional().meta({ description: "10 unless given." }),
		}),
		output: z.object({ intents: z.array(intentViewSchema) }),
		async run({ limit = LIST_DEFAULT }, { caller }) {
			const { profile } = await wallets.principalOf(caller);
			const { items } = await wallets.execution.list(profile.id, { limit });
			const intents = items.map((intent) => renderIntentView(intent, core.chains));
			return { kind: "done", output: { intents } };
		},
		line({ intents }) {
			const [newest] = intents;
			if (!newest) return "You have no actions yet.";
			const { kind, status, errorCode } = newest;
			const more = intents.length > 1 ? ` ${intents.length - 1} before it.` : "";
			return `Newest: ${kind} ${statusSentence(status, errorCode)}.${more}`;
		},
		asOfMs: () => null,
	});
}

function readTool({ wallets, core }: WalletToolDeps): AnyTool {
	return defineTool({
		name: "read_intent",
		title: "One of your actions",
		description: "Returns what became of one of your actions, by its id.",
		...ofOwner,
		input: byId,
		output: intentViewSchema,
		async run({ id }, { caller }) {
			const { profile } = await wallets.principalOf(caller);
			const intent = await wallets.execution.read(id, profile.id);
			if (!intent) throw executionFault.notFound();
			return { kind: "done", output: renderIntentView(intent, core.chains) };
		},
		line: ({ kind, status, errorCode }) => `Your ${kind} ${statusSentence(status, errorCode)}.`,
		asOfMs: () => null,
	});
}

function cancelTool({ wallets, core, ending }: WalletToolDeps): AnyTool {
	return defineTool({
		name: "cancel_intent",
		title: "Cancel an action",
		description:
			"Cancels one of your actions. What was not sent is called off at once; what was sent is " +
			"cancelled by its nonce, at the wallet's cost for gas, and may still be faster.",
		capability: "wallets",
		effect: "execute",
		access: "profile",
		input: byId,
		output: intentViewSchema.extend({ cancelUrl: z.string().nullable() }),
		async run({ id }, { caller, signal }) {
			const { profile } = await wallets.principalOf(caller);
			const own = await wallets.execution.read(id, profile.id);
			if (!own) throw executionFault.notFound();
			const by = { profile, signal: AbortSignal.any([ending, signal]) };
			const { intent, cancelUrl } = await wallets.cancel(id, by);
			const output = { ...renderIntentView(intent, core.chains), cancelUrl };
			return { kind: "done", output };
		},
		line({ kind, status, errorCode, cancelUrl }) {
			if (cancelUrl) return `Only your own wallet can cancel this ${kind}: sign by the link.`;
			if (status === "submitted" || status === "uncertain" || status === "submitting") {
				return `Cancelling your ${kind}: it counts once the chain has it, the payment may be faster.`;
			}
			return `Your ${kind} ${statusSentence(status, errorCode)}.`;
		},
		asOfMs: () => null,
		links: ({ cancelUrl }) => (cancelUrl === null ? [] : [{ rel: "cancel", url: cancelUrl }]),
	});
}
