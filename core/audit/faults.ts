import { defineFaults } from "#core/fault/defineFaults.ts";

export const auditFault = defineFaults({
	command: { status: 500, retry: "never", public: "The command is not understood." },
	noEntries: {
		status: 409,
		retry: "never",
		public: "There is no audit log in this database; it is probably the wrong one.",
		advice: "Point DATABASE_URL or DATA_DIR at the database that the service uses.",
	},
});
