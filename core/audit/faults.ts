import { defineFaults } from "#core/fault/defineFaults.ts";

export const auditFault = defineFaults({
	command: { status: 500, retry: "never", public: "The command is not understood." },
});
