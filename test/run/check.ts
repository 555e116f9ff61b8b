import { runSuite } from "#test/run/runSuite.ts";
import { withDatabase } from "#test/run/withDatabase.ts";

const argv = process.argv.slice(2);
process.exit(
	await withDatabase((env) => runSuite({ unitOnly: true, argv, report: "check.xml", env })),
);
