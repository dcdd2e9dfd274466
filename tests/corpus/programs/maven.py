"""Maven, with Debian's plugins: compilation, tests, projects that cannot be read."""

from case import Case

NEEDS = ["mvn"]
SETTINGS = "<settings><localRepository>/usr/share/maven-repo</localRepository><offline>true</offline></settings>\n"
POM = """
<project xmlns="http://maven.apache.org/POM/4.0.0">
  <modelVersion>4.0.0</modelVersion>
  <groupId>com.example</groupId>
  <artifactId>shelf</artifactId>
  <version>1</version>
  <properties>
    <maven.compiler.source>17</maven.compiler.source>
    <maven.compiler.target>17</maven.compiler.target>
    <project.build.sourceEncoding>UTF-8</project.build.sourceEncoding>
  </properties>
  <dependencies>
    <dependency>
      <groupId>junit</groupId>
      <artifactId>junit</artifactId>
      <version>4.13.2</version>
      <scope>test</scope>
    </dependency>
  </dependencies>
  <build>
    <plugins>
      <plugin><artifactId>maven-resources-plugin</artifactId><version>3.3.0</version></plugin>
      <plugin><artifactId>maven-compiler-plugin</artifactId><version>3.10.1</version></plugin>
      <plugin><artifactId>maven-surefire-plugin</artifactId><version>2.22.3</version></plugin>
    </plugins>
  </build>
</project>
"""
TEST = "mvn -B -s settings.xml test"
SOURCE = "package com.example;\n\npublic class Shelf {\n    public int price(int count) {\n        return count * 10;\n    }\n}\n"
HEAD = "package com.example;\n\nimport static org.junit.Assert.*;\n\nimport org.junit.Test;\n\npublic class ShelfTest {\n"
ADDS = "    @Test\n    public void adds() {\n        assertEquals(30, new Shelf().price(2));\n    }\n"
SUBTRACTS = '    @Test\n    public void subtracts() {\n        assertTrue("too dear", new Shelf().price(1) < 5);\n    }\n'
THROWS = "    @Test\n    public void reads() {\n        String title = null;\n        title.length();\n    }\n"
PASSES = "    @Test\n    public void passes() {\n    }\n"


def project(name, *tests, source=SOURCE, run=TEST, **more):
    files = {"pom.xml": POM, "settings.xml": SETTINGS, "src/main/java/com/example/Shelf.java": source}
    if tests:
        files["src/test/java/com/example/ShelfTest.java"] = HEAD + "".join(tests) + "}\n"
    return Case(name, run, {**files, **more})


def cases():
    broken = SOURCE.replace("count * 10", "total")
    yield project("symbol", source=broken)
    yield project("symbol-moved", source="// one\n// two\n" + broken)
    yield project("symbol-other", source=SOURCE.replace("count * 10", "discount"))
    yield project("symbol-quiet", source=broken, run=TEST + " -q")
    yield project("symbol-loud", source=broken, run="mvn -s settings.xml test")
    yield project("symbol-tty", source=broken, run="mvn -s settings.xml test").called("symbol-tty", tty=True)
    yield project("two", source=SOURCE.replace("count * 10", 'total + open("x")'))
    yield project("types", source=SOURCE.replace("count * 10", '"many"'))
    yield project("syntax", source=SOURCE.replace("count * 10;", "count *"))
    yield project("test-does-not-compile", ADDS.replace("price", "cost"))
    yield project("warning-and-error", source=broken.replace("total", "new Integer(1) + total"),
                  run=TEST + " -Dmaven.compiler.showDeprecation=true -Dmaven.compiler.showWarnings=true")
    yield project("test-adds", ADDS, PASSES)
    yield project("test-adds-moved", PASSES, ADDS)
    yield project("test-adds-quiet", ADDS, PASSES, run=TEST + " -q")
    yield project("test-adds-other-number", ADDS, source=SOURCE.replace("10", "11"))
    yield project("test-two", ADDS, SUBTRACTS, PASSES)
    yield project("test-two-one-fixed", ADDS, SUBTRACTS, source=SOURCE.replace("10", "15"))
    yield project("test-throws", THROWS)
    yield project("test-all", ADDS, SUBTRACTS, THROWS)
    yield project("dependency", PASSES, **{"pom.xml": POM.replace("junit</groupId>", "com.nowhere</groupId>")})
    yield project("plugin", **{"pom.xml": POM.replace("3.10.1", "9.9.9")})
    yield project("broken-pom", **{"pom.xml": "<project>\n  <modelVersion>4.0.0\n</project>\n"})
    yield project("bad-pom", **{"pom.xml": POM.replace("<version>1</version>", "")})
    yield Case("no-pom", "mvn -B test", {"a.txt": ""})
    yield project("goal", run="mvn -B -s settings.xml nonsense")
