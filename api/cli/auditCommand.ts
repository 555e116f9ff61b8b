import { auditFault } from "#core/audit/faults.ts";
import { AUDIT_USAGE, parseAuditArgs } from "#core/audit/parseAuditArgs.ts";
import { readHead } from "#core/audit/sql/readHead.ts";
import { type ChainVerdict, verifyChain } from "#core/audit/verifyChain.ts";
import type { Database } from "#core/db/Database.ts";
import type { CliContext } from "#core/plugin/CliCommand.ts";

/** The storage alone: an auditor need not know which chains a service follows. */
export type AuditContext = Pick<CliContext, "out" | "note"> & {
	openStorage(): Promise<{ db: Database; where: string; close(): Promise<void> }>;
};

const EXIT_BROKEN = 1;

/** Exports the audit log's head, and proves the log, against an exported head if one is given. */
export const auditCommand = {
	name: "audit",
	usage: AUDIT_USAGE,
	summary: "export the audit log's head, or prove that nobody changed it",
	async run(args: readonly string[], context: AuditContext): Promise<number> {
		const ask = parseAuditArgs(args);
		const { db, where, close } = await context.openStorage();
		// To stderr: an auditor who looks into an empty database has to see which one it is.
		context.note(`in ${where}`);
		try {
			if (ask.kind === "head") {
				context.out(JSON.stringify(await readHead(db)));
				return 0;
			}
			const verdict = await verifyChain(db, ask);
			// Nothing to verify is no proof. (Held against an exported head it is broken: truncated.)
			if (verdict.kind === "whole" && verdict.head.seq === 0) throw emptyFault(where);
			context.out(JSON.stringify(verdict));
			context.note(sentence(verdict, ask.exported !== null));
			return verdict.kind === "whole" ? 0 : EXIT_BROKEN;
		} finally {
			await close();
		}
	},
};

function emptyFault(where: string) {
	return auditFault.noEntries({
		public: `The audit log in ${where} has no entries, so there is nothing to verify. It is probably the wrong database.`,
	});
}

function sentence(verdict: ChainVerdict, isAnchored: boolean): string {
	if (verdict.kind === "broken") {
		const { seq, flaw, good } = verdict;
		return `BROKEN at entry ${seq}: ${flaw}. Up to entry ${good.seq} it is what was written.`;
	}
	const whole = `whole: ${verdict.head.seq} entries`;
	return isAnchored
		? `${whole}, and the exported head is among them`
		: `${whole}; without --head a cut end would not show`;
}
