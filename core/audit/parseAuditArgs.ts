import { parseArgs } from "node:util";
import type { AuditHead } from "#core/audit/AuditHead.ts";
import { auditFault } from "#core/audit/faults.ts";

export const AUDIT_USAGE = "audit head | audit verify [--head <seq>:<hash>]";

export type AuditAsk = { kind: "head" } | { kind: "verify"; exported: AuditHead | null };

/** A head that cannot be read is refused: verified without it, the log would look proven. */
export function parseAuditArgs(args: readonly string[]): AuditAsk {
	const { positionals, head } = read(args);
	const [what, ...rest] = positionals;
	if (rest.length === 0 && what === "head" && head === undefined) return { kind: "head" };
	if (rest.length === 0 && what === "verify") {
		return { kind: "verify", exported: head === undefined ? null : parseHead(head) };
	}
	throw usage();
}

function read(args: readonly string[]): { positionals: string[]; head: string | undefined } {
	try {
		const { positionals, values } = parseArgs({
			args: [...args],
			options: { head: { type: "string" } },
			allowPositionals: true,
		});
		return { positionals, head: values.head };
	} catch {
		throw usage();
	}
}

function parseHead(text: string): AuditHead {
	const [, digits = "", hash = ""] = /^(0|[1-9]\d{0,14}):([0-9a-f]{64})$/.exec(text) ?? [];
	if (digits === "") {
		throw auditFault.command({
			public: `--head is "${text}"; it takes <seq>:<hash> as \`svc audit head\` prints them.`,
		});
	}
	return { seq: Number(digits), hash };
}

function usage() {
	return auditFault.command({ public: `bun run svc ${AUDIT_USAGE}` });
}
