"""C# by Mono's compiler and its xbuild, which print as MSBuild does."""

from case import Case

NEEDS = ["mcs", "xbuild"]
BUILD = "mcs -target:library -out:shelf.dll src/Shelf.cs"


def body(text):
    return f"public class Shelf {{\n    public int Price(int count) {{\n        {text}\n    }}\n}}\n"


BROKEN = {
    "name": body("return total;"),
    "name-other": body("return discount;"),
    "types": body('return "many";'),
    "semicolon": body("return 1"),
    "method": body("return Open();"),
    "class": body("Book b = null; return 1;"),
    "arguments": body("return System.Math.Abs(1, 2, 3);"),
    "no-return": body(""),
    "namespace": "using Nowhere.Books;\n\n" + body("return 1;"),
    "interface": "public class Shelf : System.IDisposable {\n}\n",
    "unclosed": "public class Shelf {\n    public int Price() {\n        return 1;\n",
    "readonly": "public class Shelf {\n    readonly int pages = 1;\n\n    public void Open() {\n        pages = 2;\n    }\n}\n",
}
PROJECT = """
<Project DefaultTargets="Build" ToolsVersion="4.0" xmlns="http://schemas.microsoft.com/developer/msbuild/2003">
  <PropertyGroup>
    <OutputType>Library</OutputType>
    <AssemblyName>shelf</AssemblyName>
    <OutputPath>bin/</OutputPath>
    <NoCompilerStandardLib>false</NoCompilerStandardLib>
    <TargetFrameworkVersion>v4.5</TargetFrameworkVersion>
  </PropertyGroup>
  <ItemGroup>
    <Reference Include="System" />
    <Compile Include="src/Shelf.cs" />
  </ItemGroup>
  <Import Project="$(MSBuildBinPath)/Microsoft.CSharp.targets" />
</Project>
"""


def program(name, text, run=BUILD, **more):
    return Case(name, run, {"src/Shelf.cs": text, **more})


def cases():
    for name, text in BROKEN.items():
        case = program(name, text)
        yield case
        if name in ("name", "types", "method"):
            yield case.moved("src/Shelf.cs", "//")
    warned = body("int unused = 1; return 2;")
    yield program("warnings", warned).called("warnings", may_pass=True)
    yield program("werror", warned, BUILD + " -warnaserror")
    yield program("two", body('int unused = 1; string s = 3; return total;'))
    yield program("two-files", BROKEN["name"], "mcs -target:library -out:shelf.dll src/Shelf.cs src/Book.cs",
                  **{"src/Book.cs": BROKEN["name"].replace("Shelf", "Book")})
    yield program("no-file", "", "mcs -target:library src/Nowhere.cs")
    yield program("no-reference", body("return 1;"), BUILD + " -r:Nowhere.dll")
    for name in ("name", "types", "semicolon"):
        yield program(f"project-{name}", BROKEN[name], "xbuild /nologo shelf.csproj", **{"shelf.csproj": PROJECT})
    yield program("project-name-quiet", BROKEN["name"], "xbuild /nologo /verbosity:quiet shelf.csproj", **{"shelf.csproj": PROJECT})
    yield program("project-two-files", BROKEN["name"], "xbuild /nologo shelf.csproj",
                  **{
        "shelf.csproj": PROJECT.replace('"src/Shelf.cs" />', '"src/Shelf.cs;src/deep/Book.cs" />'),
        "src/deep/Book.cs": BROKEN["types"].replace("Shelf", "Book")})
    yield program("project-no-library", BROKEN["name"], "xbuild /nologo shelf.csproj", **{
        "shelf.csproj": PROJECT.replace("<NoCompilerStandardLib>false</NoCompilerStandardLib>", "")})
    yield program("project-none", "", "xbuild /nologo nowhere.csproj")
    yield program("project-broken", "", "xbuild /nologo shelf.csproj", **{"shelf.csproj": "<Project>\n  <Open>\n</Project>\n"})
