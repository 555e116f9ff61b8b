import { z } from "zod";
import type { Chain } from "#core/chain/Chain.ts";
import type { ChainRegistry } from "#core/chain/chainRegistry.ts";
import { queryIssues } from "#core/http/queryIssues.ts";
import { streamFault } from "#plugins/streams/faults.ts";

/** Where a client stopped. Without an epoch a restored database goes unnoticed. */
export type ResumePoint = { afterSeq: number; epoch: string | undefined };

export type StreamQuery = { chain: Chain | undefined; resume: ResumePoint | undefined };

/** 15 digits stay below 2^53, so a sequence number is exact as a number. */
const SEQ = /^\d{1,15}$/;
const EPOCH = /^[0-9A-Za-z-]{1,64}$/;
const CHAIN = /^[0-9A-Za-z_-]{1,64}$/;

const querySchema = z.strictObject({
	chain: z.string().regex(CHAIN, "is not the name of a chain").optional(),
	after: z.string().regex(SEQ, "must be a whole number, as in a frame's `seq`").optional(),
	epoch: z.string().regex(EPOCH, "must be the `epoch` of a hello frame").optional(),
});

/**
 * Reads the query of a stream.
 *
 * Not as a schema of the route: on a WebSocket route Elysia only validates, and its issues would
 * not name an unknown chain.
 */
export function readStreamQuery(
	query: Readonly<Record<string, unknown>>,
	indexed: { chains: ChainRegistry; slugs: ReadonlySet<string> },
): StreamQuery {
	const parsed = querySchema.safeParse(query);
	if (!parsed.success) {
		const issues = queryIssues(querySchema, query);
		const first = issues[0];
		throw streamFault.queryInvalid({
			public: `The query is not valid.${first ? ` ${first.path}: ${first.message}` : ""}`,
			members: { issues },
		});
	}
	const { chain: name, after, epoch } = parsed.data;
	const resume = after === undefined ? undefined : { afterSeq: Number(after), epoch };
	if (name === undefined) return { chain: undefined, resume };
	const chain = indexed.chains.bySlug(name);
	if (!chain || !indexed.slugs.has(chain.slug)) {
		const message = `must be one of ${[...indexed.slugs].join(", ")}`;
		throw streamFault.chainUnknown({ members: { issues: [{ path: "chain", message }] } });
	}
	return { chain, resume };
}
