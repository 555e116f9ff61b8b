import { Client } from "pg";
import { auditFault } from "#core/audit/faults.ts";

const CONNECT_TIMEOUT_MS = 10_000;

/**
 * Throws where a database has no table of the audit log.
 *
 * An auditor who looks into the wrong database must neither take it for a proven one nor have our
 * tables made in it, so this asks before anything is migrated.
 */
export async function refuseWithoutAuditLog(
	connectionString: string,
	where: string,
): Promise<void> {
	const client = new Client({
		connectionString,
		application_name: "tapeline audit",
		connectionTimeoutMillis: CONNECT_TIMEOUT_MS,
	});
	client.on("error", () => {});
	try {
		await client.connect();
		const { rows } = await client.query("select to_regclass('core.audit_entry') as name");
		if (rows[0]?.name !== null) return;
	} finally {
		await client.end().catch(() => {});
	}
	throw auditFault.noEntries({
		public: `There is no audit log in ${where}. It is probably the wrong database; nothing was changed in it.`,
	});
}
