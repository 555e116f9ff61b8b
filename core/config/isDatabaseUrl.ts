import { Client } from "pg";

/**
 * Whether the driver can read a PostgreSQL URL. False for one whose parts are unclear, such as a
 * password with an unescaped `@` or `#`. What its parts lead to (a host, a file) is not asked.
 */
export function isDatabaseUrl(text: string): boolean {
	if (!/^postgres(ql)?:\/\//.test(text)) return false;
	try {
		new Client({ connectionString: text });
		return true;
	} catch (error) {
		return !(error instanceof TypeError);
	}
}
