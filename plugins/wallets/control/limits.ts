export const SETTING_KEY_LENGTH_MAX = 200;
/** Before and after stand in one entry of the audit log, which holds 8 KiB. */
export const SETTING_VALUE_BYTES_MAX = 2_048;
/** Settings in one answer; the newest changes come first. */
export const SETTINGS_LISTED_MAX = 1_000;
