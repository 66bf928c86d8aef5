import { deepEqual, equal, throws } from "node:assert/strict";
import { describe, test } from "@jest/globals";
import { Meter } from "./meter.ts";
import { compileProgram, ProgramError } from "./program.ts";

const nothing = { types: new Map(), sizes: new Map() };

function evaluate(source: string): unknown {
  return compileProgram(source, nothing, "any").run({}, new Meter(100_000));
}

describe("expressions", () => {
  const truths = [
    "1 + 2 * 3 == 7",
    "-7 / 2 == -3 && -7 % 2 == -1",
    "9223372036854775807 > 9.0e18",
    "1u < 2 && 2 >= 1.5",
    "0.1 + 0.2 != 0.3",
    "'a' + 'b' == 'ab' && b'a' + b'b' == b'ab'",
    "[1, 2] + [3] == [1, 2, 3]",
    "{'a': 1}['a'] == 1 && 'a' in {'a': 1} && !('b' in {'a': 1})",
    "dyn(1) in {1u: 'x'}",
    "true || 1 / 0 == 1",
    "1 / 0 == 1 || true",
    "!(false && 1 / 0 == 1) && !(1 / 0 == 1 && false)",
    "[1, 2, 3].exists(x, x == 2) && ![1, 2].all(x, x < 2)",
    "[0, 2].exists(x, 4 / x == 2)",
    "[1, 2, 3].filter(x, x > 1) == [2, 3] && [1, 2].map(x, x * 2) == [2, 4]",
    "[1, 2, 3].map(x, x > 1, x * 10) == [20, 30]",
    "[5, 6].exists(i, v, i == 1 && v == 6) && {'a': 1}.all(k, v, k == 'a' && v == 1)",
    "[1, 2].transformList(i, v, i + v) == [1, 3]",
    "{'a': 1, 'b': 2}.transformMap(k, v, v > 1, v * 2) == {'b': 4}",
    "{'a': 'x'}.transformMapEntry(k, v, {v: k}) == {'x': 'a'}",
    "optional.of(1).optMap(x, x + 1).value() == 2",
    "optional.of(1).optFlatMap(x, optional.none()).hasValue() == false",
    "optional.ofNonZeroValue('').or(optional.of('x')).orValue('y') == 'x'",
    "{'a': {'b': 1}}.?a.?b.orValue(0) == 1 && {'a': {'b': 1}}.?z.?b.orValue(0) == 0",
    "type(1) == int && type([]) == list && type(null) == null_type && type(int) == type",
    "'Ünï'.size() == 3 && 'Ünï'.charAt(2) == 'ï'",
    "'a,b,c'.split(',', 2) == ['a', 'b,c'] && 'abc'.split('') == ['a', 'b', 'c']",
    "'aXbXc'.replace('X', '-', 1) == 'a-bXc' && 'abab'.lastIndexOf('b') == 3",
    "'tacocat'.indexOf('a', 2) == 5",
    "'%s is %d%% or %.1f, %x'.format(['it', 5, 2.55, 'hi']) == 'it is 5% or 2.5, 6869'",
    "'ab12cd3'.findAll('[0-9]+') == ['12', '3']",
    "[3, 1, 2].sort() == [1, 2, 3] && [1, 1, 2].distinct() == [1, 2]",
    "[[1], [2, 3]].flatten() == [1, 2, 3] && lists.range(3) == [0, 1, 2]",
    "sets.contains([1, 2, 3], [2]) && !sets.intersects([1], [2])",
    "['b', 'a'].max() == 'b' && [1.5, 0.5].sum() == 2.0",
    "duration('1h30m').getMinutes() == 90 && string(duration('-1500ms')) == '-1.5s'",
    "timestamp('2024-02-29T23:00:00Z').getDate() == 29",
    "timestamp('2024-07-01T00:00:00Z').getHours('Europe/Berlin') == 2",
    "timestamp('2024-07-01T00:00:00Z').getHours('-02:30') == 21",
    "timestamp('2024-01-01T00:00:00Z') - timestamp('2023-12-31T00:00:00Z') == duration('24h')",
    "int(timestamp('1970-01-01T00:00:01Z')) == 1",
    "quantity('1Ki').isGreaterThan(quantity('1k')) && quantity('1000m') == quantity('1')",
    "quantity('0.1').add(quantity('0.2')).compareTo(quantity('0.3')) == 0",
    "quantity('-1').sign() == -1 && !isQuantity('1.2.3') && isQuantity('1e3')",
    "ip('10.0.0.1').isGlobalUnicast() && ip('fe80::1').isLinkLocalUnicast() && ip('224.0.0.1').isLinkLocalMulticast()",
    "cidr('10.0.0.0/8').containsCIDR('10.1.0.0/16') && !cidr('10.0.0.0/8').containsIP('11.0.0.1')",
    "cidr('2001:db8::/32').masked().ip() == ip('2001:db8::') && !isCIDR('10.0.0.0/33')",
    "semver('1.0.0-alpha.1').isLessThan(semver('1.0.0-alpha.beta')) && semver('1.0.0-rc').isLessThan(semver('1.0.0'))",
    "semver('v01.2', true).compareTo(semver('1.2.0')) == 0 && !isSemver('1.2')",
    "url('https://[::1]:80/a%20b?x=1').getHost() == '[::1]:80' && url('/p?q').getEscapedPath() == '/p'",
    "!format.dns1123Subdomain().validate('a.b').hasValue() && format.named('uuid').hasValue()",
    "format.qualifiedName().validate('a/b/c').value()[0].startsWith('a qualified name')",
    "double('1e3') == 1000.0 && string(100000.0) == '100000' && string(1000000.0) == '1e+06'",
    "bool('T') && int('-5') == -5 && uint('5') == 5u",
  ];
  for (const source of truths) test(source, () => equal(evaluate(source), true));
});

describe("failures are worded as by cel-go", () => {
  const failures: readonly (readonly [string, string])[] = [
    ["[1][5] == 1", "index out of bounds: 5"],
    ["{'a': 1}['b'] == 1", "no such key: b"],
    ["9223372036854775807 + 1 > 0", "integer overflow"],
    ["1u - 2u > 0u", "unsigned integer overflow"],
    ["[1, 2].slice(1, 0).size() == 0", "cannot slice(1, 0), start index must be less than or equal to end index"],
    ["'abc'.substring(4) == ''", "index out of range: 4"],
    ["dyn('a').startsWith(dyn(1))", "no such overload: startsWith(string, int)"],
    [
      "cidr('10.0.0.0').prefixLength() == 8",
      `network address parse error during conversion from string: netip.ParsePrefix("10.0.0.0"): no '/'`,
    ],
  ];
  for (const [source, message] of failures) {
    test(source, () => {
      throws(() => evaluate(source), { message });
    });
  }
});

describe("what does not compile", () => {
  const faults: readonly (readonly [string, string])[] = [
    ["1 +", "1:4: Syntax error: mismatched input '<EOF>' expecting"],
    ["foo", "1:1: undeclared reference to 'foo' (in container '')"],
    ["'a'.foo()", "1:8: undeclared reference to 'foo' (in container '')"],
    ["1 + 'a'", "1:3: found no matching overload for '_+_' applied to '(int, string)'"],
    ["[1].all(x, x)", "1:12: expected type 'bool' but found 'int'"],
    ["1.map(x, x)", "1:1: expression of type 'int' cannot be range of a comprehension (must be list, map, or dynamic)"],
    ["[1].map(x, x, x)", "1:8: found no matching overload for '_?_:_' applied to '(int, list(int), list(int))'"],
    ["[1, 'a']", "1:5: expected type 'int' but found 'string'"],
    ["'%z'.format([1])", '1:12: could not parse formatting clause: unrecognized formatting clause "z"'],
    ["'%s'.format([])", "1:12: index 0 out of range"],
    ["timestamp('x')", "1:11: invalid timestamp argument"],
    ["has(1)", "1:5: invalid argument to has() macro"],
    ["\n  foo", "2:3: undeclared reference to 'foo' (in container '')"],
  ];
  for (const [source, message] of faults) {
    test(JSON.stringify(source), () => {
      throws(
        () => compileProgram(source, nothing, "any"),
        (error: Error) => error instanceof ProgramError && error.message.includes(`<input>:${message}`),
      );
    });
  }

  test("a literal that cannot be converted fails before it runs", () => {
    throws(() => compileProgram("int('x') == 1", nothing, "any"), {
      message: "program instantiation failed: type conversion error from 'string' to 'int'",
    });
  });

  test("the result has to be of the wanted type", () => {
    throws(() => compileProgram("1", nothing, "bool"), { message: "cel expression must evaluate to a bool" });
    deepEqual(compileProgram("dyn(true)", nothing, "bool").run({}, new Meter(10)), true);
  });
});
