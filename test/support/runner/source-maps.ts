/**
 * Stack traces name lines of TypeScript. Required before all else, because only modules that are loaded later are covered. As a flag of
 * Node it would cost each invocation of mocha a second process.
 */
process.setSourceMapsEnabled(true)
